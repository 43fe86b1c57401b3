#pragma once

#include <span>
#include <string_view>

#include "dialect/record/spec.h"

namespace sparsecfg::dialect::llmcompressor {

// The arguments of `oneshot` in the newest release. `former` has those that only older releases accept.
extern const ClassSpec kOneshotCall;

// Returns the names of the arguments of all releases.
[[nodiscard]] std::span<const std::string_view> oneshot_arguments();

}  // namespace sparsecfg::dialect::llmcompressor
