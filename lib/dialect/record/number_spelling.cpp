#include "dialect/record/types.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/number.h"
#include "base/text.h"

namespace sparsecfg::dialect {

using source::Value;

// Returns the text of a plain scalar; empty for an alias, a tag or an `eval(...)`.
static std::string_view spelling(const source::SourceFile& file, const Value& value) {
  const std::string_view text = file.text(value.span);
  const bool plain = !text.empty() && (base::is_digit(text[0]) || text[0] == '-' || text[0] == '+');
  return plain && value.number() ? text : std::string_view();
}

bool is_sexagesimal(const source::SourceFile& file, const Value& value) {
  return spelling(file, value).find(':') != std::string_view::npos;
}

// Returns the digits of an octal number without leading zeros if they have another value in decimal. Returns an empty
// string for other numbers.
static std::string misleading_octal(std::string_view text, const Value& value) {
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative || text.starts_with('+') ? 1 : 0);
  if (!text.starts_with('0') || text.find_first_not_of("01234567_") != std::string_view::npos) {
    return {};
  }
  std::string digits(text);
  std::erase(digits, '_');
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  const auto decimal = base::parse_double(digits);
  const bool same = !decimal || *decimal == std::abs(*value.number());
  return same ? std::string() : (negative ? "-" : "") + digits;
}

// Returns true for an N:M mask such as `2:4`: N of every M weights are kept, M a power of two.
static bool is_mask(std::string_view text) {
  static constexpr std::string_view kGroups[] = {"2", "4", "8", "16", "32"};
  const std::size_t colon = text.find(':');
  const auto kept = colon == std::string_view::npos ? std::nullopt : base::parse_double(text.substr(0, colon));
  return kept && base::contains(kGroups, text.substr(colon + 1)) && *kept > 0 &&
         *kept < base::parse_double(text.substr(colon + 1)) && *kept == std::floor(*kept);
}

static void check_number(const source::SourceFile& file, const Value& value, bool may_be_mask, diag::Sink& sink) {
  const std::string_view text = spelling(file, value);
  if (text.empty()) {
    return;
  }
  const auto number = [&] { return source::python_str(value); };
  if (may_be_mask && is_mask(text)) {
    sink.report(diag::yaml11_sexagesimal, value.span, text, number())
        .with_severity(diag::Severity::warning)
        .with_help(fmt::format("quote the mask: `\"{}\"`", text))
        .with_fix(diag::Fix::safe().replace(value.span, fmt::format("\"{}\"", text)));
  } else if (text.find(':') != std::string_view::npos) {
    sink.report(diag::yaml11_sexagesimal, value.span, text, number())
        .with_severity(diag::Severity::warning)
        .with_help(fmt::format("quote it if it is a string, or write `{}` if it is a number", number()));
  } else if (const std::string decimal = misleading_octal(text, value); !decimal.empty()) {
    sink.report(diag::yaml11_octal, value.span, text, number())
        .with_help(fmt::format("write `{}` for the decimal number, or `{}` for the octal value", decimal, number()))
        .with_fix(diag::Fix::unsafe().replace(value.span, decimal));
  }
}

void check_number_spelling(const source::SourceFile& file, const Value& value, bool may_be_mask, diag::Sink& sink) {
  if (const auto* list = value.get<source::List>()) {
    for (const Value& item : *list) {
      check_number_spelling(file, item, may_be_mask, sink);
    }
  } else if (const auto* map = value.get<source::Map>()) {
    for (const auto& [key, item] : *map) {
      check_number_spelling(file, item, may_be_mask, sink);
    }
  } else {
    check_number(file, value, may_be_mask, sink);
  }
}

std::string float_as_yaml(double number) {
  if (!std::isfinite(number)) {
    return std::isnan(number) ? ".nan" : number < 0 ? "-.inf" : ".inf";
  }
  std::string text = base::python_repr(number);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

}  // namespace sparsecfg::dialect
