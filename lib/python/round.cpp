#include "python/numbers.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/number.h"

namespace sparsecfg::python {

Outcome whole_number(std::string_view function, double value) {
  if (std::isnan(value)) {
    return Fault{ErrorKind::type_error, fmt::format("`{}` does not accept nan", function)};
  }
  if (value < -9223372036854775808.0 || value >= 9223372036854775808.0) {
    return Fault{ErrorKind::too_large,
                 fmt::format("`{}` does not accept {}, which is too large", function, base::python_repr(value))};
  }
  return static_cast<std::int64_t>(value);
}

// nearbyint rounds halves to even in the default rounding mode, which nothing here changes.
Outcome rounded(const Operand& number) {
  const auto* real = std::get_if<double>(&number);
  return real != nullptr ? whole_number("round", std::nearbyint(*real)) : Outcome(std::get<std::int64_t>(number));
}

static std::string scientific(double value, int precision) {
  // The exact value of a double has at most 767 significant digits.
  std::array<char, 800> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, precision);
  return {buffer.data(), result.ptr};
}

// Returns true if `exact`, a number in scientific notation, is greater than five of its leading unit.
static bool is_beyond_half(std::string_view exact) {
  return exact[0] > '5' ||
         (exact[0] == '5' && exact.substr(0, exact.find('e')).find_first_of("123456789", 1) != exact.npos);
}

static double rounded_real(double value, int digits) {
  const std::string exact = scientific(std::abs(value), 770);
  const int exponent = std::stoi(exact.substr(exact.find('e') + 1));
  const int precision = exponent + digits;
  std::string text = "0";
  if (precision >= 0) {
    text = scientific(std::abs(value), precision);
  } else if (precision == -1 && is_beyond_half(exact)) {
    text = fmt::format("1e{}", -digits);
  }
  return std::copysign(base::parse_double(text).value_or(0), value);
}

static Outcome rounded_int(std::int64_t value, std::int64_t digits) {
  // Half of a larger power of ten exceeds 64 bits, so the number rounds to zero.
  constexpr std::int64_t kMinDigits = -19;
  if (digits >= 0) {
    return value;
  }
  if (digits < kMinDigits) {
    return std::int64_t{0};
  }
  std::uint64_t unit = 1;
  for (; digits < 0; ++digits) {
    unit *= 10;
  }
  const std::uint64_t size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const std::uint64_t rest = size % unit;
  const bool up = rest > unit / 2 || (rest == unit / 2 && size / unit % 2 == 1);
  const std::uint64_t result = size - rest + (up ? unit : 0);
  if (result > static_cast<std::uint64_t>(INT64_MAX) + (value < 0 ? 1 : 0)) {
    return Fault{ErrorKind::too_large, "the result of `round` is too large"};
  }
  return static_cast<std::int64_t>(value < 0 ? 0 - result : result);
}

Outcome rounded(const Operand& number, std::int64_t digits) {
  // Beyond this limit a double lacks digits to round.
  constexpr std::int64_t kMaxDigits = 323;
  constexpr std::int64_t kMinDigits = -308;
  if (const auto* whole = std::get_if<std::int64_t>(&number)) {
    return rounded_int(*whole, digits);
  }
  const double value = std::get<double>(number);
  if (!std::isfinite(value) || digits > kMaxDigits) {
    return value;
  }
  const double result = digits < kMinDigits ? 0.0 * value : rounded_real(value, static_cast<int>(digits));
  return std::isinf(result) ? Outcome(Fault{ErrorKind::too_large, "the result of `round` is too large"})
                            : Outcome(result);
}

}  // namespace sparsecfg::python
