#include "rescale/factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "base/text.h"
#include "doc/fixes.h"

namespace sparsecfg::rescale {

// Returns the number of significant digits, without leading and trailing zeros.
static std::size_t digits_of(double value) {
  std::string digits = base::python_repr(value);
  digits.resize(std::min(digits.find('e'), digits.size()));
  std::erase_if(digits, [](char c) { return !base::is_digit(c); });
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? 0 : digits.find_last_not_of('0') + 1 - first;
}

double Factor::of(double value) const {
  constexpr std::size_t kMaxDigits = 14;  // with 15 digits, doubling and halving are still exact in decimal
  const auto nearest = static_cast<double>(static_cast<long double>(value) * numerator / denominator);
  if (digits_of(value) > kMaxDigits) {
    return nearest;
  }
  const double shorter = base::parse_double(fmt::format("{:.15g}", nearest)).value_or(nearest);
  const double gap = std::nextafter(std::abs(nearest), std::numeric_limits<double>::infinity()) - std::abs(nearest);
  return std::abs(shorter - nearest) <= gap ? shorter : nearest;
}

double readable(double time) {
  constexpr std::size_t kFewDigits = 6;
  constexpr double kFine = 0.1;
  if (digits_of(time) <= kFewDigits) {
    return time;
  }
  const std::string text = std::abs(time) < kFine ? fmt::format("{:.3g}", time) : fmt::format("{:.2f}", time);
  return base::parse_double(text).value_or(time);
}

static std::string operand(double value) { return written_like("0", value); }

std::string Factor::multiplied(std::string_view expression) const {
  return denominator == 1 ? fmt::format("{} * {}", expression, operand(numerator))
         : numerator == 1 ? fmt::format("{} / {}", expression, operand(denominator))
                          : fmt::format("{} * {} / {}", expression, operand(numerator), operand(denominator));
}

// Returns true for an integer of YAML 1.1: `3`, `+3`, `3_0`, `0x3`, `0b11`.
static bool is_int(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const bool based = text.starts_with("0x") || text.starts_with("0b");
  return based || std::ranges::all_of(text, [](char each) { return base::is_digit(each) || each == '_'; });
}

std::string written_like(std::string_view before, double value) {
  constexpr double kLargestInt = 1e15;
  if (is_int(before) && value == std::floor(value) && std::abs(value) < kLargestInt) {
    return fmt::format("{}", static_cast<long long>(value));
  }
  const std::string text = base::python_repr(value);
  return doc::spelled_as_float(text).value_or(text);
}

}  // namespace sparsecfg::rescale
