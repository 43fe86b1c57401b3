#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparsecfg::base {

// The shortest decimal text that reads back as `value`, laid out as Python's repr(float) lays it
// out: 1.0, 0.0001, 1e-05, 1e+16, nan, inf, -inf.
[[nodiscard]] std::string python_repr(double value);

// The same into `out`, which has room for kReprSize characters; answers the end of the text.
inline constexpr std::size_t kReprSize = 32;
char* write_repr(char* out, double value);

// Python's repr(str): quoted with ' unless only that quote occurs inside, escapes as Python's.
[[nodiscard]] std::string python_repr(std::string_view text);

// The whole of `text` as a decimal floating-point number, locale-free, correctly rounded; values
// beyond the range become infinite, as in Python.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

// What Python's float(text) returns: surrounding white space, a sign, single underscores between
// digits, `nan`, `inf` and `infinity` in any case; nullopt if it raises ValueError.
[[nodiscard]] std::optional<double> python_float(std::string_view text);

// The number without its fraction, or the nearest that 64 bits hold; 0 for nan.
[[nodiscard]] std::int64_t whole_part(double value);

}  // namespace sparsecfg::base
