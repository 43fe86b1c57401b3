#include "base/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/text.h"
#include "platform/system.h"

namespace sparsecfg::base {

static char* put(char* out, std::string_view text) { return std::copy(text.begin(), text.end(), out); }

// Writes a number of a size from 1e-4 to 1. Most numbers of a timeline are such, and to_chars is faster with an
// exponent.
static char* write_fraction(char* out, double value) {
  char text[kReprSize];
  char* const end = std::to_chars(text, text + kReprSize, std::abs(value), std::chars_format::scientific).ptr;
  const auto zeros = static_cast<std::size_t>(end[-1] - '1');  // of `2.5e-03`, 2
  out = put(out, value < 0 ? "-" : "");
  out = put(out, std::string_view("0.000").substr(0, 2 + zeros));
  *out++ = text[0];
  return text[1] == '.' ? std::copy(text + 2, end - 4, out) : out;
}

char* write_repr(char* out, double value) {
  if (std::isnan(value)) {
    return put(out, "nan");  // to_chars also writes its sign
  }
  // Python switches to an exponent outside of these limits.
  const double size = std::abs(value);
  if (size >= 1e-4 && size < 1) return write_fraction(out, value);
  const bool fixed = size == 0 || (size >= 1 && size < 1e16);
  const auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
  out = std::to_chars(out, out + kReprSize, value, format).ptr;
  return fixed && value == std::trunc(value) ? put(out, ".0") : out;
}

std::string python_repr(double value) {
  char buffer[kReprSize];
  return {buffer, write_repr(buffer, value)};
}

// Returns true for spaces that Python's repr escapes by number.
static bool is_wide_space(char32_t c) {
  return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

static std::string python_escape(char32_t code_point) {
  switch (code_point) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default:
      return code_point < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(code_point))
                                : fmt::format("\\u{:04x}", static_cast<unsigned>(code_point));
  }
}

std::string python_repr(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  const auto stands_for_itself = [quote](char c) { return c >= ' ' && c <= '~' && c != quote && c != '\\'; };
  std::string out;
  out.reserve(text.size() + 2);
  out += quote;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    while (at < text.size() && stands_for_itself(text[at])) ++at;
    out += text.substr(start, at - start);
    if (at > start) {
      continue;
    }
    const char32_t code_point = next_code_point(text, at);
    if (code_point == static_cast<char32_t>(quote) || code_point == '\\') {
      out += '\\';
      out += text[start];
    } else if (is_unsafe(code_point) || is_wide_space(code_point)) {
      out += python_escape(code_point);
    } else {
      out += text.substr(start, at - start);
    }
  }
  out += quote;
  return out;
}

// Returns true if a number out of range is too small. from_chars does not distinguish too small from too large.
static bool is_below_range(std::string_view text) {
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, mark);
  std::string_view digits = text.substr(std::min(mark + 1, text.size()));
  digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
  constexpr std::int64_t kBeyondTexts = std::int64_t{1} << 40;
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (error == std::errc::result_out_of_range) {
    exponent = digits.starts_with('-') ? -kBeyondTexts : kBeyondTexts;
  }
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent < 0;
}

std::optional<double> parse_double(std::string_view text) {
  const bool plus = text.starts_with('+');
  if (plus) {
    text.remove_prefix(1);
  }
  if (text.empty() || (plus && text.starts_with('-'))) {
    return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = platform::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    const double size = is_below_range(text) ? 0.0 : std::numeric_limits<double>::infinity();
    return text.starts_with('-') ? -size : size;
  }
  return value;
}

// Python accepts one underscore between two digits and nowhere else.
static std::optional<std::string> without_underscores(std::string_view text) {
  const auto digit = [&](std::size_t at) { return at < text.size() && is_digit(text[at]); };
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '_') {
      out += text[at];
    } else if (at == 0 || !digit(at - 1) || !digit(at + 1)) {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<double> python_float(std::string_view text) {
  const std::string_view trimmed = trim(text);
  // from_chars also accepts `nan(...)`, which Python rejects.
  if (trimmed.find('(') != std::string_view::npos) {
    return std::nullopt;
  }
  if (trimmed.find('_') == std::string_view::npos) {
    return parse_double(trimmed);
  }
  const auto plain = without_underscores(trimmed);
  return plain ? parse_double(*plain) : std::nullopt;
}

std::int64_t whole_part(double value) {
  constexpr double kEnd = 0x1p63;
  return std::isnan(value) ? 0
         : value >= kEnd   ? std::numeric_limits<std::int64_t>::max()
         : value <= -kEnd  ? std::numeric_limits<std::int64_t>::min()
                           : static_cast<std::int64_t>(value);
}

double python_modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace sparsecfg::base
