#include "base/number.h"

#include <dragonbox/dragonbox.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "base/text.h"

namespace sparsecfg::base {

static char* put(char* out, std::string_view text) { return std::copy(text.begin(), text.end(), out); }

// 25e-7 -> 2.5e-06: one digit before the point, a sign and two digits at least in the exponent.
static char* write_scientific(char* out, std::string_view digits, int exponent) {
  *out++ = digits[0];
  if (digits.size() > 1) {
    *out++ = '.';
    out = put(out, digits.substr(1));
  }
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  const int size = std::abs(exponent);
  if (size < 10) {
    *out++ = '0';
  }
  return std::to_chars(out, out + 4, size).ptr;
}

// `point` is the number of digits before the decimal point; it may be negative or beyond the digits.
static char* write_fixed(char* out, std::string_view digits, int point) {
  const int count = static_cast<int>(digits.size());
  if (point <= 0) {
    out = put(out, "0.");
    out = std::fill_n(out, -point, '0');
    return put(out, digits);
  }
  if (point >= count) {
    out = put(out, digits);
    out = std::fill_n(out, point - count, '0');
    return put(out, ".0");
  }
  out = put(out, digits.substr(0, static_cast<std::size_t>(point)));
  *out++ = '.';
  return put(out, digits.substr(static_cast<std::size_t>(point)));
}

char* write_repr(char* out, double value) {
  if (std::isnan(value)) {
    return put(out, "nan");
  }
  if (std::signbit(value)) {
    *out++ = '-';
    value = -value;
  }
  if (std::isinf(value)) {
    return put(out, "inf");
  }
  if (value == 0) {
    return put(out, "0.0");
  }
  // Dragonbox finds the shortest digits in half the time of std::to_chars.
  const auto decimal = jkj::dragonbox::to_decimal(value);
  char buffer[20];
  const std::string_view digits(
      buffer,
      static_cast<std::size_t>(std::to_chars(buffer, buffer + sizeof buffer, decimal.significand).ptr - buffer));
  const int point = static_cast<int>(digits.size()) + decimal.exponent;
  // Python switches to an exponent outside 1e-4 .. 1e16.
  return point > -4 && point <= 16 ? write_fixed(out, digits, point) : write_scientific(out, digits, point - 1);
}

std::string python_repr(double value) {
  char buffer[kReprSize];
  return {buffer, write_repr(buffer, value)};
}

// Spaces that Python's repr shows by number.
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

static bool stands_for_itself(char c) { return c >= ' ' && c <= '~' && c != '\'' && c != '\\'; }

std::string python_repr(std::string_view text) {
  if (std::ranges::all_of(text, stands_for_itself)) {
    std::string out(text.size() + 2, '\'');
    text.copy(out.data() + 1, text.size());
    return out;
  }
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out(1, quote);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
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
  return out + quote;
}

// Returns true if a decimal number that does not fit is too small, which from_chars leaves open.
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
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    const double size = is_below_range(text) ? 0.0 : std::numeric_limits<double>::infinity();
    return text.starts_with('-') ? -size : size;
  }
  return value;
}

// Python lets one underscore stand between two digits and nowhere else.
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
  const auto plain = without_underscores(trim(text));
  if (!plain) {
    return std::nullopt;
  }
  // from_chars would also read `nan(...)`, which Python refuses.
  return plain->find('(') == std::string::npos ? parse_double(*plain) : std::nullopt;
}

}  // namespace sparsecfg::base
