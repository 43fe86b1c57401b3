#include "base/number.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "base/text.h"

namespace sparsecfg::base {

std::string python_repr(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  char buffer[64];
  const double size = std::abs(value);
  // Python switches to an exponent outside 1e-4 .. 1e16.
  const bool exponent = size != 0 && (size < 1e-4 || size >= 1e16);
  const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
  std::string text(buffer, end);
  if (!exponent && text.find('.') == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string python_repr(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + quote;
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
    // from_chars says only that it does not fit: a negative exponent means too small.
    const bool tiny = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    const double size = tiny ? 0.0 : std::numeric_limits<double>::infinity();
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
