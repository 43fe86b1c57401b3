#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// N:M masks of pruners.
namespace sparsecfg::dialect::llmcompressor {

// N:M mask: N of every M weights are removed. 0:0 is unstructured.
struct NOfM {
  std::int64_t n = 0;
  std::int64_t m = 0;
};

// Parses "N:M". Returns nullopt if the string is not a pair of integers.
[[nodiscard]] std::optional<NOfM> read_mask(std::string_view text);

}  // namespace sparsecfg::dialect::llmcompressor
