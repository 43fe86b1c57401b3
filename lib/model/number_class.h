#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Character classes that were written as ranges of numbers, such as `[0-15]`, which matches the digits 0, 1 and 5.
namespace sparsecfg::model {

struct NumberClass {
  using Range = std::pair<std::uint32_t, std::uint32_t>;  // both ends included

  std::size_t begin = 0;  // the offset of the bracket
  std::size_t end = 0;    // after the class and its quantifier
  std::string text;       // without the quantifier
  std::vector<Range> numbers;

  // Returns the digits that the class matches, in order.
  [[nodiscard]] std::vector<std::string> digits() const;

  // Returns the intended numbers in words: "0 to 15".
  [[nodiscard]] std::string words() const;

  // Returns patterns without alternatives that together match exactly the numbers: `\d` and `1[0-5]`. `any` matches any
  // digit.
  [[nodiscard]] std::vector<std::string> alternatives(std::string_view any) const;

  [[nodiscard]] bool contains(std::uint64_t number) const;
};

// Returns the first class of a pattern that contains a number of several digits and is not a part of a longer number.
[[nodiscard]] std::optional<NumberClass> number_class_in(std::string_view pattern);

// How a pattern is used.
enum class PatternUse : std::uint8_t {
  open,   // names may continue after it
  whole,  // it must match whole names, and groups must not capture
};

// Returns the regular expressions that the pattern was probably meant to be. The last one ends the number before other
// text.
[[nodiscard]] std::vector<std::string> patterns_for(const NumberClass& numbers, std::string_view pattern,
                                                    PatternUse use);

// Returns true if the number in a name that the class stands for is one of those intended, or is not found.
[[nodiscard]] bool is_intended(const NumberClass& numbers, std::string_view pattern, std::string_view name);

}  // namespace sparsecfg::model
