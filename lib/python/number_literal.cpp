#include "python/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/number.h"
#include "base/text.h"

namespace sparsecfg::python {

static bool is_identifier_byte(char c) { return base::is_name_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

// Scans one literal. An underscore is allowed only between two digits.
class NumberScanner {
 public:
  explicit NumberScanner(std::string_view text) : text_(text) {}

  NumberText scan();

 private:
  [[nodiscard]] char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  [[nodiscard]] bool is_digit_at(std::size_t offset, std::uint32_t base) const {
    return digit_value(at(offset)) < base;
  }

  void take_digits(std::uint32_t base);
  bool take_any_of(std::string_view characters);
  bool take_exponent();
  [[nodiscard]] std::string_view with_base(std::uint32_t base);
  [[nodiscard]] std::string_view decimal();
  [[nodiscard]] std::string_view fault_after() const;

  std::string_view text_;
  std::size_t at_ = 0;
};

void NumberScanner::take_digits(std::uint32_t base) {
  while (is_digit_at(at_, base) || (at(at_) == '_' && is_digit_at(at_ + 1, base))) {
    ++at_;
  }
}

bool NumberScanner::take_any_of(std::string_view characters) {
  const bool there = at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos;
  at_ += there ? 1 : 0;
  return there;
}

// An `e` without digits after it is not an exponent: `1else` is a number and a word.
bool NumberScanner::take_exponent() {
  if (at(at_) != 'e' && at(at_) != 'E') {
    return false;
  }
  const std::size_t digits = at_ + (at(at_ + 1) == '+' || at(at_ + 1) == '-' ? 2 : 1);
  if (!is_digit_at(digits, 10)) {
    return false;
  }
  at_ = digits;
  take_digits(10);
  return true;
}

std::string_view NumberScanner::with_base(std::uint32_t base) {
  at_ = 2;
  const std::size_t begin = at_;
  take_digits(base);
  return at_ == begin || is_digit_at(at_, 10) ? "missing or invalid digit for this number base" : "";
}

std::string_view NumberScanner::decimal() {
  take_digits(10);
  const std::string_view whole = text_.substr(0, at_);
  bool real = take_any_of(".");
  if (real && is_digit_at(at_, 10)) {
    take_digits(10);
  }
  real = take_exponent() || real;
  real = take_any_of("jJ") || real;
  const bool leading_zero = whole.starts_with('0') && whole.find_first_of("123456789") != std::string_view::npos;
  return leading_zero && !real ? "a decimal integer can't start with 0" : "";
}

// Python still accepts these keywords directly after a number.
std::string_view NumberScanner::fault_after() const {
  static constexpr std::array<std::string_view, 8> kKeywordsAfterNumbers = {"and", "else", "for", "if",
                                                                            "in",  "is",   "not", "or"};
  const std::string_view rest = text_.substr(at_);
  const bool word =
      std::ranges::any_of(kKeywordsAfterNumbers, [&](std::string_view known) { return rest.starts_with(known); });
  return !rest.empty() && is_identifier_byte(rest.front()) && !word ? "a letter directly follows a number" : "";
}

NumberText NumberScanner::scan() {
  const char prefix = at(0) == '0' ? static_cast<char>(at(1) | 0x20) : '\0';
  const std::uint32_t base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
  const std::string_view fault = base == 10 ? decimal() : with_base(base);
  return {at_, fault.empty() ? fault_after() : fault};
}

NumberText scan_number(std::string_view text) { return NumberScanner(text).scan(); }

std::optional<Integer> integer_value(std::string_view literal) {
  std::string plain(literal);
  std::erase(plain, '_');
  const std::string prefix = base::to_lower(std::string_view(plain).substr(0, 2));
  return Integer::parse(plain, prefix == "0x" ? 16 : prefix == "0o" ? 8 : prefix == "0b" ? 2 : 10);
}

Outcome number_value(std::string_view literal) {
  const std::string lower = base::to_lower(literal);
  if (lower.ends_with('j')) {
    return Fault{ErrorKind::unsupported, "complex numbers are not supported"};
  }
  if (lower.starts_with("0x") || lower.find_first_of(".e") == std::string::npos) {
    const auto integer = integer_value(lower);
    const auto small = integer ? integer->small() : std::nullopt;
    return small ? Outcome(*small)
                 : Fault{ErrorKind::too_large, fmt::format("the number {} does not fit into 64 bits", literal)};
  }
  std::string plain(lower);
  std::erase(plain, '_');
  return base::parse_double(plain).value_or(0);
}

}  // namespace sparsecfg::python
