#pragma once

#include "dialect/options.h"

namespace sparsecfg::dialect::quantizers {

// The program that reads a configuration.
enum class Runtime : std::uint8_t { none, vllm, sglang };

// Returns the program that the option `runtime` selects.
[[nodiscard]] Runtime runtime_of(const ReadOptions& options);

}  // namespace sparsecfg::dialect::quantizers
