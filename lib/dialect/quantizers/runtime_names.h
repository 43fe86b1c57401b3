#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/scheme.h"

// Names that vLLM gives to modules, and how runtimes split layers across GPUs.
namespace sparsecfg::dialect::quantizers {

// Prefixes of names in checkpoints that vLLM replaces in models of an architecture.
struct PrefixRow {
  std::string_view architecture;
  std::string_view checkpoint;
  std::string_view runtime;
};

[[nodiscard]] std::span<const PrefixRow> prefix_rows();

// Returns true if a runtime splits the columns of a layer across GPUs, such as those of `down_proj`.
[[nodiscard]] bool splits_columns(std::string_view layer);

// Returns the number of columns of a weight that must not be split; 0 if there is none.
[[nodiscard]] std::uint64_t columns_together(const ir::Scheme& scheme);

}  // namespace sparsecfg::dialect::quantizers
