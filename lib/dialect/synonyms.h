#pragma once

#include <span>
#include <string_view>
#include <vector>

// What frameworks call the same thing.
namespace sparsecfg::dialect {

// The fields that were probably meant by a word, and whose word that is ("llm-compressor's"; empty if nobody's).
struct Meant {
  std::vector<std::string_view> names{};
  std::string_view whose{};
};

// Returns those of the candidates that mean the same as `name` where that is the word of another framework; none if it
// is not known, or if nothing tells which of several is meant.
[[nodiscard]] Meant words_for(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace sparsecfg::dialect
