#include "doc/construct_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/text.h"

namespace sparsecfg::doc {

namespace {

// Python's limit since 3.11.
constexpr std::size_t kMaxDigits = 4300;
// Our limit for numbers that must be converted to decimal. The time is quadratic.
constexpr std::size_t kMaxOtherDigits = 400;

// An unsigned integer of arbitrary size.
class Magnitude {
 public:
  // `digits` must contain only decimal digits.
  [[nodiscard]] static Magnitude from_decimal(std::string_view digits) {
    Magnitude out;
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

  void multiply(std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (std::uint32_t& limb : limbs_) {
      carry += std::uint64_t{limb} * factor;
      limb = static_cast<std::uint32_t>(carry % kBase);
      carry /= kBase;
    }
    push(carry);
  }

  void add(std::uint32_t term) {
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

  [[nodiscard]] std::string digits() const {
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

  // Returns the signed value if it fits into an int64.
  [[nodiscard]] std::optional<std::int64_t> small(bool negative) const {
    if (limbs_.size() > 3 || (limbs_.size() == 3 && limbs_[2] > 9)) {
      return std::nullopt;
    }
    std::uint64_t value = 0;
    for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
      value = value * kBase + *limb;
    }
    const std::uint64_t max = std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (negative ? 1 : 0);
    if (value > max) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(negative ? std::uint64_t{0} - value : value);
  }

 private:
  static constexpr std::uint64_t kBase = 1'000'000'000;
  static constexpr std::size_t kLimbDigits = 9;

  void push(std::uint64_t carry) {
    for (; carry > 0; carry /= kBase) {
      limbs_.push_back(static_cast<std::uint32_t>(carry % kBase));
    }
  }

  std::vector<std::uint32_t> limbs_;  // least significant limb first
};

struct Signed {
  Magnitude magnitude;
  bool negative = false;
};

}  // namespace

static bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative || text.starts_with('+') ? 1 : 0);
  return negative;
}

static std::uint32_t digit_value(char c) {
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

// Parses digits in the given base, several at a time.
static std::optional<Magnitude> parse_digits(std::string_view text, std::uint32_t base) {
  if (base == 10) {
    return std::ranges::all_of(text, base::is_digit) ? std::optional(Magnitude::from_decimal(text)) : std::nullopt;
  }
  constexpr std::uint32_t kMaxFactor = 50'000'000;
  Magnitude out;
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

// Python's int(text, base): accepts surrounding white space, a sign and the prefix of the base.
static std::optional<Signed> parse(std::string_view text, std::uint32_t base) {
  text = base::trim(text);
  const bool negative = take_sign(text);
  const std::string_view prefix = prefix_of(base);
  if (!prefix.empty() && base::to_lower(text.substr(0, 2)) == prefix) {
    text.remove_prefix(2);
  }
  if (text.empty() || text.size() > (base == 10 ? kMaxDigits : kMaxOtherDigits)) {
    return std::nullopt;
  }
  auto magnitude = parse_digits(text, base);
  if (!magnitude) {
    return std::nullopt;
  }
  return Signed{std::move(*magnitude), negative};
}

// Each part counts 60 times the next one. PyYAML accepts signs and any size in later parts, which is possible only with
// an explicit tag. Such values are rejected here.
static std::optional<Signed> parse_base_60(std::string_view text) {
  std::size_t colon = text.find(':');
  auto out = parse(text.substr(0, colon), 10);
  if (!out || text.size() > kMaxOtherDigits) {
    return std::nullopt;
  }
  while (colon != std::string_view::npos) {
    text.remove_prefix(colon + 1);
    colon = text.find(':');
    const auto part = parse(text.substr(0, colon), 10);
    const auto value = part && !part->negative ? part->magnitude.small(false) : std::nullopt;
    if (!value || *value > std::numeric_limits<std::int32_t>::max()) {
      return std::nullopt;
    }
    out->magnitude.multiply(60);
    out->magnitude.add(static_cast<std::uint32_t>(*value));
  }
  return out;
}

static std::optional<Signed> parse_unsigned(std::string_view text) {
  if (text == "0") {
    return Signed{};
  }
  if (text.starts_with("0b")) {
    return parse(text.substr(2), 2);
  }
  if (text.starts_with("0x")) {
    return parse(text.substr(2), 16);
  }
  if (text.starts_with('0')) {
    return parse(text, 8);
  }
  return text.find(':') != std::string_view::npos ? parse_base_60(text) : parse(text, 10);
}

std::optional<source::Value::Data> construct_int(std::string_view text) {
  if (text.size() > 2 * kMaxDigits) {
    return std::nullopt;
  }
  std::string plain(text);
  std::erase(plain, '_');
  std::string_view rest = plain;
  const bool negative = take_sign(rest);
  if (rest.empty()) {
    return std::nullopt;
  }
  const auto parsed = parse_unsigned(rest);
  if (!parsed) {
    return std::nullopt;
  }
  const bool below_zero = parsed->negative != negative;
  if (const auto small = parsed->magnitude.small(below_zero)) {
    return *small;
  }
  const std::string digits = parsed->magnitude.digits();
  return source::BigInt{below_zero ? fmt::format("-{}", digits) : digits};
}

}  // namespace sparsecfg::doc
