#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Numbers of the blocks of a model in patterns, such as `layers\\.(0|1)\\.`.
namespace sparsecfg::model {

// Alternatives in a pattern that are all numbers: `(0|1)`.
struct BlockNumbers {
  std::size_t begin = 0;  // the offset of the parenthesis
  std::size_t end = 0;
  std::vector<std::string> numbers;  // at least two
};

// Returns the alternatives after the name of a list of blocks; nullopt if a pattern has none.
[[nodiscard]] std::optional<BlockNumbers> numbers_in(std::string_view pattern);

// Numbers that a model lacks.
struct MissingNumbers {
  std::vector<std::string> numbers;
  std::uint64_t last_block = 0;
  std::string meant;  // the pattern with the numbers counted back from the last block
};

// Returns the numbers of a pattern that are above the last block of a model with these names, if other numbers of it
// match. `matches` returns true if a pattern matches a name.
[[nodiscard]] std::optional<MissingNumbers> missing_numbers(const std::string& pattern,
                                                            const std::vector<std::string>& names,
                                                            const std::function<bool(const std::string&)>& matches);

}  // namespace sparsecfg::model
