#pragma once

#include <optional>
#include <string_view>

#include "source/value.h"

namespace sparsecfg::dialect::nni {

// Parses a Python constructor call, "AGPPruner(LevelPruner, interval_steps=10, total_times=4)", to the equivalent
// mapping of a file: `class`, the arguments, and `pruner` for a wrapped pruner. Arguments that are not literals, such
// as `model`, are ignored. Returns nullopt if the string is not such a call.
[[nodiscard]] std::optional<source::Value> parse_constructor_call(std::string_view text);

}  // namespace sparsecfg::dialect::nni
