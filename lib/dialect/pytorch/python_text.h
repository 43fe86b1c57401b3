#pragma once

#include <string>
#include <string_view>
#include <vector>

// Python source text in the layout of black: an expression is on one line if it is short enough, else each of its parts
// is on a separate line.
namespace sparsecfg::dialect::pytorch {

inline constexpr std::size_t kWidth = 100;

struct Text {
  std::string open;  // the whole expression if `parts` is empty (`0.5`), else the text before them (`Every(`)
  std::vector<Text> parts{};
  std::string close{};  // the text after the parts: `)`
  std::string_view between = ", ";
};

[[nodiscard]] Text number(double value);
[[nodiscard]] Text boolean(bool value);
// Returns a string literal; long ones are split into several adjacent literals.
[[nodiscard]] Text python_string(std::string_view value);
// Returns an expression; long ones are in parentheses, on several lines.
[[nodiscard]] Text expression(std::string_view value);
[[nodiscard]] Text call(std::string_view name, std::vector<Text> arguments);
[[nodiscard]] Text list(std::vector<Text> items);
[[nodiscard]] Text tuple(std::vector<Text> items);
// Returns a keyword argument: `keep=False`.
[[nodiscard]] Text named(std::string_view name, Text value);
// Returns a lambda: `lambda epoch: value`.
[[nodiscard]] Text lambda(std::string_view arguments, Text value);

// Lays out the text on one line, or on several with continuation lines indented by `indent` blanks. The first line is
// assumed to start at column `indent` too.
[[nodiscard]] std::string layout(const Text& text, std::size_t indent);

}  // namespace sparsecfg::dialect::pytorch
