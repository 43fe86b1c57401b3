#include "base/number.h"

#include <dragonbox/dragonbox.h>

#include <fmt/format.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/text.h"
#include "platform/system.h"

namespace sparsecfg::base {

static char* put(char* out, std::string_view text) { return std::copy(text.begin(), text.end(), out); }

constexpr std::uint32_t kEight = 100'000'000;  // limit of an eight-digit number

constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{1};
  for (std::size_t at = 1; at < powers.size(); ++at) powers[at] = 10 * powers[at - 1];
  return powers;
}();

// Decimal digits, written directly at their final place. Assembling them elsewhere and copying them is slower.
class Digits {
 public:
  explicit Digits(std::uint64_t number) : number_(number), count_(count_of(number)) {}

  [[nodiscard]] int count() const { return count_; }

  // Returns the end of the digits written.
  char* write(char* out) const {
    char* const end = out + count_;
    std::uint64_t number = number_;
    for (out = end; number >= kEight; number /= kEight) {
      out = put_eight_before(out, static_cast<std::uint32_t>(number % kEight));
    }
    put_rest_before(out, static_cast<std::uint32_t>(number));
    return end;
  }

 private:
  static constexpr auto kPairs = [] {
    std::array<std::array<char, 2>, 100> pairs{};
    for (std::size_t at = 0; at < pairs.size(); ++at) {
      pairs[at] = {static_cast<char>('0' + at / 10), static_cast<char>('0' + at % 10)};
    }
    return pairs;
  }();

  // Uses log10(2) = 0.301 digits per bit.
  static int count_of(std::uint64_t number) {
    const auto least = static_cast<std::size_t>(std::bit_width(number) * 1233) >> 12;
    return static_cast<int>(least) + (number >= kPowersOfTen[least] ? 1 : 0);
  }

  static char* put_pair_before(char* end, std::uint32_t pair) {
    std::memcpy(end - 2, kPairs[pair].data(), 2);
    return end - 2;
  }

  // Computes two independent halves, so the processor can overlap them.
  static char* put_eight_before(char* end, std::uint32_t eight) {
    const std::uint32_t high = eight / 10'000;
    const std::uint32_t low = eight % 10'000;
    put_pair_before(end, low % 100);
    put_pair_before(end - 2, low / 100);
    put_pair_before(end - 4, high % 100);
    return put_pair_before(end - 6, high / 100);
  }

  static void put_rest_before(char* end, std::uint32_t number) {
    for (; number >= 100; number /= 100) end = put_pair_before(end, number % 100);
    if (number >= 10) {
      put_pair_before(end, number);
    } else {
      end[-1] = static_cast<char>('0' + number);
    }
  }

  std::uint64_t number_;
  int count_;
};

// 25e-7 -> 2.5e-06: one digit before the point; a sign and at least two digits in the exponent.
static char* write_scientific(char* out, const Digits& digits, int exponent) {
  char* end = digits.write(out + 1);
  out[0] = out[1];
  if (digits.count() == 1) {
    end = out + 1;
  } else {
    out[1] = '.';
  }
  *end++ = 'e';
  *end++ = exponent < 0 ? '-' : '+';
  const int size = std::abs(exponent);
  if (size < 10) {
    *end++ = '0';
  }
  return std::to_chars(end, end + 4, size).ptr;
}

// `point` is the number of digits before the decimal point. It may be negative or greater than the number of digits.
static char* write_fixed(char* out, const Digits& digits, int point) {
  if (point <= 0) {
    constexpr int kMaxZeros = 3;
    std::memcpy(out, "0.000", 2 + kMaxZeros);
    return digits.write(out + 2 - point);
  }
  if (point >= digits.count()) {
    out = std::fill_n(digits.write(out), point - digits.count(), '0');
    return put(out, ".0");
  }
  char* const end = digits.write(out + 1);
  for (int at = 0; at < point; ++at) out[at] = out[at + 1];
  out[point] = '.';
  return end;
}

#if defined(__SSE2__)

// Converts two numbers below 10^8 to sixteen bytes from 0 to 9. Each step splits all numbers at once into high and low
// halves. The divisions are multiplications: x/10^4 is x * 3,518,437,209 >> 45, x/100 is x * 5,243 >> 19, x/10 is x *
// 6,554 >> 16. Each is exact for the number of digits left at its step.
static __m128i sixteen_digits(std::uint32_t high, std::uint32_t low) {
  const __m128i eights = _mm_set_epi64x(low, high);
  __m128i quotient = _mm_srli_epi64(_mm_mul_epu32(eights, _mm_set1_epi64x(3'518'437'209)), 45);
  __m128i rest = _mm_sub_epi64(eights, _mm_mul_epu32(quotient, _mm_set1_epi64x(10'000)));
  const __m128i fours = _mm_or_si128(quotient, _mm_slli_epi64(rest, 32));
  quotient = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi16(5'243)), 3);
  rest = _mm_sub_epi16(fours, _mm_mullo_epi16(quotient, _mm_set1_epi16(100)));
  const __m128i pairs = _mm_or_si128(quotient, _mm_slli_epi32(rest, 16));
  quotient = _mm_mulhi_epu16(pairs, _mm_set1_epi16(6'554));
  rest = _mm_sub_epi16(pairs, _mm_mullo_epi16(quotient, _mm_set1_epi16(10)));
  return _mm_or_si128(quotient, _mm_slli_epi16(rest, 8));
}

// Writes sixteen digits without trailing zeros.
static char* put_sixteen(char* out, __m128i digits) {
  const int zeros = _mm_movemask_epi8(_mm_cmpeq_epi8(digits, _mm_setzero_si128()));
  const __m128i text = _mm_or_si128(digits, _mm_set1_epi8('0'));
  std::memcpy(out, &text, sizeof text);
  return out + std::bit_width(~static_cast<unsigned>(zeros) & 0xFFFF);
}

// Writes a number in [0.0001, 1). Always writes seventeen digits after at most three zeros, then cuts the trailing
// zeros. Their count is not known in advance, and a branch on it is mispredicted half of the time.
static char* write_below_one(char* out, double value) {
  constexpr int kDigits = 17;
  constexpr int kMaxZeros = 3;
  const auto decimal = jkj::dragonbox::to_decimal(value, jkj::dragonbox::policy::sign::ignore,
                                                  jkj::dragonbox::policy::trailing_zero::ignore);
  const int missing = kDigits + decimal.exponent;
  const std::uint64_t digits = decimal.significand * kPowersOfTen[static_cast<std::size_t>(std::max(missing, 0))];
  const auto upper = static_cast<std::uint32_t>(digits / kEight);  // nine digits
  const auto lower = static_cast<std::uint32_t>(digits % kEight);
  std::memcpy(out, "0.000", 2 + kMaxZeros);
  out += 2 + std::max(-missing, 0);
  *out++ = static_cast<char>('0' + upper / kEight);
  return put_sixteen(out, sixteen_digits(upper % kEight, lower));
}

static bool is_below_one(double value) { return value >= 1e-4 && value < 1; }

#else

static bool is_below_one(double /*value*/) { return false; }

static char* write_below_one(char* out, double /*value*/) { return out; }

#endif

char* write_repr(char* out, double value) {
  if (is_below_one(value)) {
    return write_below_one(out, value);
  }
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
  const auto decimal = jkj::dragonbox::to_decimal(value, jkj::dragonbox::policy::sign::ignore);
  const Digits digits(decimal.significand);
  const int point = digits.count() + decimal.exponent;
  // Python switches to an exponent outside 1e-4 .. 1e16.
  return point > -4 && point <= 16 ? write_fixed(out, digits, point) : write_scientific(out, digits, point - 1);
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
