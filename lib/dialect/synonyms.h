#pragma once

#include <span>
#include <string_view>
#include <vector>

// Names of different frameworks for the same concept.
namespace sparsecfg::dialect {

// The fields that a word probably refers to, and the framework that uses the word ("llm-compressor"; empty if none).
struct SynonymMatch {
  std::vector<std::string_view> names{};
  std::string_view framework{};
};

// Returns the candidates that mean the same as `name`, the name used by another framework. Returns none if the name is
// unknown or ambiguous.
[[nodiscard]] SynonymMatch synonyms_for(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace sparsecfg::dialect
