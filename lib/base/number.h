#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparsecfg::base {

// Returns the shortest decimal text that reads back as `value`, in the format of Python's repr(float): 1.0, 0.0001,
// 1e-05, 1e+16, nan, inf, -inf.
[[nodiscard]] std::string python_repr(double value);

// Writes the same text to `out`, which must have room for kReprSize characters. Returns the end of the text.
inline constexpr std::size_t kReprSize = 32;
char* write_repr(char* out, double value);

// Returns Python's repr(str): single quotes unless the text contains only those, and Python's escapes.
[[nodiscard]] std::string python_repr(std::string_view text);

// Parses the whole of `text` as a decimal floating-point number, independent of the locale and correctly rounded.
// Values out of range become infinite, as in Python.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

// Returns the result of Python's float(text), or nullopt if it raises ValueError. Accepts surrounding white space, a
// sign, single underscores between digits, and `nan`, `inf` and `infinity` in any case.
[[nodiscard]] std::optional<double> python_float(std::string_view text);

// Returns the result of Python's `a % b`, which has the sign of the divisor.
[[nodiscard]] double python_modulo(double a, double b);

// Returns the number without its fraction, clamped to 64 bits. Returns 0 for nan.
[[nodiscard]] std::int64_t whole_part(double value);

}  // namespace sparsecfg::base
