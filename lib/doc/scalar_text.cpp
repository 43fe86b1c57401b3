#include "doc/fixes.h"

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "doc/scalar_type.h"

namespace sparsecfg::doc {

static std::string with_each(std::string_view text, std::string_view special, char before) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) {
      out += before;
    }
    out += c;
  }
  return out;
}

static std::string single_quoted(std::string_view text) { return "'" + with_each(text, "'", '\'') + "'"; }

static bool is_quoted(std::string_view written) {
  const bool quote = written.starts_with('"') || written.starts_with('\'');
  return quote && written.size() >= 2 && written.front() == written.back();
}

// Returns true for a single-line text that begins like an unquoted scalar.
static bool is_plain(std::string_view written) {
  constexpr std::string_view kIndicators = "|>*&!%@`[]{}#,\"'";
  return !written.empty() && kIndicators.find(written.front()) == std::string_view::npos &&
         written.find_first_of("\r\n") == std::string_view::npos;
}

// Returns true if a content needs no quotes, inside or outside brackets.
static bool needs_no_quotes(std::string_view content) {
  constexpr std::string_view kNever = ",[]{}#&*!|>'\"%@`:? ";
  const bool begins =
      !content.empty() && kNever.find(content.front()) == std::string_view::npos && content.front() != '-';
  return begins && content.find_first_of(",[]{}#:!'\" ") == std::string_view::npos &&
         resolve_plain(content) == ScalarType::string;
}

// Returns a Python string with a new content. Keeps the prefix `r` and the quotes. Returns nullopt for adjacent
// strings.
static std::optional<std::string> rewrite_string(std::string_view written, std::string_view content) {
  const bool raw = written.starts_with('r') || written.starts_with('R');
  const std::string_view string = written.substr(raw ? 1 : 0);
  const bool triple = string.starts_with("\"\"\"") || string.starts_with("\'\'\'");
  const bool one = string.size() > 1 && string.find(string.front(), 1) == string.size() - 1;
  if (!is_quoted(string) || triple || !one) {
    return std::nullopt;
  }
  const std::string quote(1, string.front());
  if (raw) {
    const bool fits = content.find(quote) == std::string_view::npos && !content.ends_with('\\');
    return fits ? std::optional(std::string(1, written.front()) + quote + std::string(content) + quote) : std::nullopt;
  }
  return quote + with_each(content, "\\" + quote, '\\') + quote;
}

std::optional<std::string> rewrite_scalar(std::string_view written, std::string_view content, bool script) {
  const bool printable = content == base::printable(content);
  if (printable && script) {
    return rewrite_string(written, content);
  }
  if (!printable) {
    return std::nullopt;
  }
  if (is_quoted(written)) {
    return written.front() == '\'' ? single_quoted(content) : '"' + with_each(content, "\\\"", '\\') + '"';
  }
  if (!is_plain(written)) {
    return std::nullopt;
  }
  return needs_no_quotes(content) ? std::string(content) : single_quoted(content);
}

std::optional<std::string> list_of_scalar(std::string_view written) {
  if (!is_quoted(written) && !is_plain(written)) {
    return std::nullopt;
  }
  return "[" + (is_quoted(written) ? std::string(written) : single_quoted(written)) + "]";
}

std::optional<std::string> spelled_as_float(std::string_view text) {
  std::string out(text);
  const std::size_t exponent = std::min(out.find_first_of("eE"), out.size());
  if (exponent + 1 < out.size() && base::is_digit(out[exponent + 1])) {
    out.insert(exponent + 1, "+");
  }
  if (out.find('.') == std::string::npos) {
    out.insert(exponent, ".0");
  }
  const bool same = base::python_float(text) && base::python_float(text) == base::python_float(out);
  return same && resolve_plain(out) == ScalarType::real ? std::optional(out) : std::nullopt;
}

std::optional<std::string> spelled_as_number(std::string_view text) {
  const bool digits = !text.empty() && text.front() != '0' && std::ranges::all_of(text, base::is_digit);
  return digits || text == "0" ? std::optional(std::string(text)) : spelled_as_float(text);
}

// Returns the number before a unit, as in `4bit` or `60 epochs`.
static std::optional<double> number_before_unit(std::string_view text) {
  static constexpr std::string_view kUnits[] = {"bit", "bits", "epoch", "epochs", "ep", "step", "steps"};
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit = base::trim(text.substr(end));
  return end > 0 && base::contains(kUnits, unit) ? base::parse_double(text.substr(0, end)) : std::nullopt;
}

// Returns the value of a fraction of two digits strings, such as `1/2`.
static std::optional<double> number_of_fraction(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.find_first_not_of("0123456789./ ") != std::string_view::npos) {
    return std::nullopt;
  }
  const auto one = base::parse_double(base::trim(text.substr(0, slash)));
  const auto other = base::parse_double(base::trim(text.substr(slash + 1)));
  return one && other && *other > 0 && *one <= *other ? std::optional(*one / *other) : std::nullopt;
}

std::optional<double> number_meant_by(std::string_view text) {
  if (text.ends_with('%')) {
    const auto percent = base::python_float(base::trim(text.substr(0, text.size() - 1)));
    return percent ? std::optional(*percent / 100) : std::nullopt;
  }
  if (const auto number = number_before_unit(text)) {
    return number;
  }
  if (const auto fraction = number_of_fraction(text)) {
    return fraction;
  }
  std::string digits(text);
  const std::size_t comma = digits.find(',');
  if (comma == std::string::npos || text.find_first_not_of("0123456789,") != std::string_view::npos) {
    return std::nullopt;
  }
  digits[comma] = '.';
  return base::python_float(digits);
}

}  // namespace sparsecfg::doc
