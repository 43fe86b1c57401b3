#pragma once

#include <string>
#include <string_view>
#include <vector>

// Python's text, laid out as black lays it out: an expression stands on one line where that is short enough, else
// each of its parts stands on a line of its own.
namespace sparsecfg::dialect::pytorch {

inline constexpr std::size_t kWidth = 100;

struct Text {
  std::string open;  // the whole of it where there are no parts: `0.5`; else what stands before them: `Every(`
  std::vector<Text> parts{};
  std::string close{};  // what stands after them: `)`
  std::string_view between = ", ";
};

[[nodiscard]] Text number(double value);
[[nodiscard]] Text boolean(bool value);
// A string literal; a long one as several that Python joins.
[[nodiscard]] Text quoted(std::string_view value);
// An expression; a long one in parentheses, on several lines.
[[nodiscard]] Text expression(std::string_view value);
[[nodiscard]] Text call(std::string_view name, std::vector<Text> arguments);
[[nodiscard]] Text list(std::vector<Text> items);
[[nodiscard]] Text tuple(std::vector<Text> items);
// `keep=False`
[[nodiscard]] Text named(std::string_view name, Text value);
// `lambda epoch: value`
[[nodiscard]] Text lambda(std::string_view arguments, Text value);

// On one line, or on several whose continuations stand `indent` blanks in. `indent` counts for the first line too.
[[nodiscard]] std::string layout(const Text& text, std::size_t indent);

}  // namespace sparsecfg::dialect::pytorch
