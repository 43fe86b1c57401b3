#include "python/integer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace sparsecfg::python {

constexpr std::uint64_t kBase = 1'000'000'000;
constexpr std::size_t kLimbDigits = 9;

// `digits` must contain only decimal digits.
Integer Integer::from_decimal(std::string_view digits) {
  Integer out;
  while (!digits.empty()) {
    const std::size_t begin = digits.size() - std::min(digits.size(), kLimbDigits);
    std::uint32_t limb = 0;
    for (const char c : digits.substr(begin)) {
      limb = limb * 10 + static_cast<std::uint32_t>(c - '0');
    }
    out.limbs_.push_back(limb);
    digits = digits.substr(0, begin);
  }
  while (!out.limbs_.empty() && out.limbs_.back() == 0) {
    out.limbs_.pop_back();
  }
  return out;
}

void Integer::push(std::uint64_t carry) {
  for (; carry > 0; carry /= kBase) {
    limbs_.push_back(static_cast<std::uint32_t>(carry % kBase));
  }
}

void Integer::multiply(std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry % kBase);
    carry /= kBase;
  }
  push(carry);
}

void Integer::add(std::uint32_t term) {
  std::uint64_t carry = term;
  for (std::uint32_t& limb : limbs_) {
    if (carry == 0) {
      return;
    }
    carry += limb;
    limb = static_cast<std::uint32_t>(carry % kBase);
    carry /= kBase;
  }
  push(carry);
}

std::string Integer::digits() const {
  std::string out(limbs_.size() * kLimbDigits, '0');
  auto at = out.rbegin();
  for (std::uint32_t limb : limbs_) {
    for (std::size_t digit = 0; digit < kLimbDigits; ++digit, limb /= 10) {
      *at++ = static_cast<char>('0' + limb % 10);
    }
  }
  const std::size_t leading = out.find_first_not_of('0');
  return leading == std::string::npos ? "0" : out.substr(leading);
}

std::optional<std::int64_t> Integer::small() const {
  if (limbs_.size() > 3 || (limbs_.size() == 3 && limbs_[2] > 9)) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
    value = value * kBase + *limb;
  }
  const std::uint64_t max = std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (negative_ ? 1 : 0);
  if (value > max) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(negative_ ? std::uint64_t{0} - value : value);
}

source::Value::Data Integer::value() const {
  if (const auto plain = small()) {
    return *plain;
  }
  return source::BigInt{negative_ ? fmt::format("-{}", digits()) : digits()};
}

std::uint32_t digit_value(char c) {
  if (base::is_digit(c)) {
    return static_cast<std::uint32_t>(c - '0');
  }
  return base::is_letter(c) ? static_cast<std::uint32_t>((c | 0x20) - 'a') + 10 : 99;
}

static std::string_view prefix_of(std::uint32_t base) {
  switch (base) {
    case 2: return "0b";
    case 8: return "0o";
    case 16: return "0x";
    default: return "";
  }
}

// Parses digits in a base other than 10, several at a time.
static std::optional<Integer> parse_digits(std::string_view text, std::uint32_t base) {
  constexpr std::uint32_t kMaxFactor = 50'000'000;
  Integer out;
  std::uint32_t factor = 1;
  std::uint32_t chunk = 0;
  for (const char c : text) {
    const std::uint32_t digit = digit_value(c);
    if (digit >= base) {
      return std::nullopt;
    }
    chunk = chunk * base + digit;
    factor *= base;
    if (factor >= kMaxFactor) {
      out.multiply(factor);
      out.add(chunk);
      factor = 1;
      chunk = 0;
    }
  }
  out.multiply(factor);
  out.add(chunk);
  return out;
}

std::optional<Integer> Integer::parse(std::string_view text, std::uint32_t base) {
  text = base::trim(text);
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative || text.starts_with('+') ? 1 : 0);
  const std::string_view prefix = prefix_of(base);
  if (!prefix.empty() && base::to_lower(text.substr(0, 2)) == prefix) {
    text.remove_prefix(2);
  }
  if (text.empty() || text.size() > (base == 10 ? kMaxDigits : kMaxOtherDigits)) {
    return std::nullopt;
  }
  const bool decimal = base == 10 && std::ranges::all_of(text, base::is_digit);
  std::optional<Integer> out = decimal      ? std::optional(from_decimal(text))
                               : base == 10 ? std::nullopt
                                            : parse_digits(text, base);
  if (out) {
    out->negative_ = negative;
  }
  return out;
}

}  // namespace sparsecfg::python
