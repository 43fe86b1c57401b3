#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dialect/llmcompressor/table.h"

namespace sparsecfg::dialect::llmcompressor {

// N of every M weights are removed; 0 for both: weights anywhere.
struct NOfM {
  std::int64_t n = 0;
  std::int64_t m = 0;
};

// Nothing where the text is no pair of whole numbers.
[[nodiscard]] std::optional<NOfM> read_mask(std::string_view text);

// That of a pruner; 0 for both where it can't be read.
[[nodiscard]] NOfM mask_of(const Modifier& modifier);

}  // namespace sparsecfg::dialect::llmcompressor
