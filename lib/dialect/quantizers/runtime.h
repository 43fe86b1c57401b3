#pragma once

#include <cstdint>

#include "dialect/options.h"

namespace sparsecfg::dialect::quantizers {

// The program that reads a configuration.
enum class Runtime : std::uint8_t { none, vllm, sglang };

// Returns the program that the option `runtime` selects.
[[nodiscard]] Runtime runtime_of(const ReadOptions& options);

// Returns true if vLLM has kernels for GPTQ layers (docs/semantics/gptqmodel.md#d1-2).
[[nodiscard]] constexpr bool vllm_loads_gptq(std::int64_t bits, bool symmetric) {
  return symmetric && (bits == 4 || bits == 8);
}

}  // namespace sparsecfg::dialect::quantizers
