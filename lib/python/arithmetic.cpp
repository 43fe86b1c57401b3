#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/overloaded.h"
#include "python/value.h"

namespace sparsecfg::python {

__extension__ using Wide = unsigned __int128;

static Outcome too_large(std::string_view operation) {
  return Fault{ErrorKind::too_large, fmt::format("the result of `{}` is too large", operation)};
}

static Outcome division_by_zero(std::string_view operation) {
  return Fault{ErrorKind::division_by_zero, fmt::format("`{}` divides by zero", operation)};
}

Operand operand(const Number& number) {
  return std::visit(base::Overloaded{[](bool flag) -> Operand { return std::int64_t{flag}; },
                                     [](auto value) -> Operand { return value; }},
                    number);
}

double as_double(const Operand& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

bool is_arithmetic(std::string_view operation) {
  static constexpr std::array<std::string_view, 7> kOperations = {"+", "-", "*", "/", "//", "%", "**"};
  return std::ranges::find(kOperations, operation) != kOperations.end();
}

static std::uint64_t magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

// Python rounds the quotient of two ints once; converting both to double first rounds up to three times. A 63-bit
// quotient with a sticky bit has more precision than the rounding needs.
static double true_quotient(std::int64_t left, std::int64_t right) {
  const std::uint64_t above = magnitude(left);
  const std::uint64_t below = magnitude(right);
  const int shift = 63 - static_cast<int>(std::bit_width(above)) + static_cast<int>(std::bit_width(below));
  const Wide scaled = Wide{above} << shift;
  const auto quotient = static_cast<std::uint64_t>(scaled / below);
  const std::uint64_t sticky = scaled % below != 0 ? 1 : 0;
  const double size = above == 0 ? 0.0 : std::ldexp(static_cast<double>(quotient | sticky), -shift);
  return (left < 0) != (right < 0) ? -size : size;
}

struct Division {
  std::int64_t quotient;
  std::int64_t remainder;
};

// Rounds toward minus infinity, so the remainder has the sign of the divisor. Callers handle a divisor of -1.
static Division floor_division(std::int64_t left, std::int64_t right) {
  const Division towards_zero{left / right, left % right};
  const bool below = towards_zero.remainder != 0 && (towards_zero.remainder < 0) != (right < 0);
  return below ? Division{towards_zero.quotient - 1, towards_zero.remainder + right} : towards_zero;
}

struct RealDivision {
  double quotient;
  double remainder;
};

static RealDivision floor_division(double left, double right) {
  double remainder = std::fmod(left, right);
  double quotient = (left - remainder) / right;
  if (remainder == 0) {
    remainder = std::copysign(0.0, right);
  } else if ((remainder < 0) != (right < 0)) {
    remainder += right;
    quotient -= 1;
  }
  if (quotient == 0) {
    return {std::copysign(0.0, left / right), remainder};
  }
  // The difference above may have been rounded, so the quotient is only close to an integer.
  const double whole = std::floor(quotient);
  return {quotient - whole > 0.5 ? whole + 1 : whole, remainder};
}

static Outcome power(double base, double exponent) {
  if (base == 0 && exponent < 0 && std::isfinite(exponent)) {
    return Fault{ErrorKind::division_by_zero, "zero can't be raised to a negative power"};
  }
  const bool finite = std::isfinite(base) && std::isfinite(exponent);
  const bool complex = finite && base < 0 && exponent != std::floor(exponent);
  const double result = std::pow(complex ? -base : base, exponent);
  if (finite && std::isinf(result)) {
    return too_large("**");
  }
  return complex ? Outcome(Fault{ErrorKind::unsupported, "a negative number raised to a fractional power is complex"})
                 : Outcome(result);
}

static Outcome power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    return power(static_cast<double>(base), static_cast<double>(exponent));
  }
  std::int64_t result = 1;
  bool overflow = false;
  for (std::int64_t square = base; exponent > 0 && !overflow; exponent /= 2) {
    if (exponent % 2 == 1) {
      overflow = __builtin_mul_overflow(result, square, &result);
    }
    if (exponent > 1) {
      overflow = overflow || __builtin_mul_overflow(square, square, &square);
    }
  }
  return overflow ? too_large("**") : Outcome(result);
}

static Outcome divided(std::string_view operation, std::int64_t left, std::int64_t right) {
  if (right == 0) {
    return division_by_zero(operation);
  }
  if (operation == "/") {
    return true_quotient(left, right);
  }
  if (right == -1) {
    std::int64_t negated = 0;
    const bool overflow = __builtin_sub_overflow(std::int64_t{0}, left, &negated);
    return operation == "%" ? Outcome(std::int64_t{0}) : overflow ? too_large(operation) : Outcome(negated);
  }
  const Division division = floor_division(left, right);
  return operation == "%" ? division.remainder : division.quotient;
}

static Outcome divided(std::string_view operation, double left, double right) {
  if (right == 0) {
    return division_by_zero(operation);
  }
  if (operation == "/") {
    return left / right;
  }
  const RealDivision division = floor_division(left, right);
  return operation == "%" ? division.remainder : division.quotient;
}

static Outcome calculate_ints(std::string_view operation, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflow = false;
  if (operation == "+") {
    overflow = __builtin_add_overflow(left, right, &result);
  } else if (operation == "-") {
    overflow = __builtin_sub_overflow(left, right, &result);
  } else if (operation == "*") {
    overflow = __builtin_mul_overflow(left, right, &result);
  } else {
    return operation == "**" ? power(left, right) : divided(operation, left, right);
  }
  return overflow ? too_large(operation) : Outcome(result);
}

static Outcome calculate_doubles(std::string_view operation, double left, double right) {
  if (operation == "+") return left + right;
  if (operation == "-") return left - right;
  if (operation == "*") return left * right;
  return operation == "**" ? power(left, right) : divided(operation, left, right);
}

Outcome calculate(std::string_view operation, const Number& left, const Number& right) {
  const Operand a = operand(left);
  const Operand b = operand(right);
  const auto* x = std::get_if<std::int64_t>(&a);
  const auto* y = std::get_if<std::int64_t>(&b);
  return x != nullptr && y != nullptr ? calculate_ints(operation, *x, *y)
                                      : calculate_doubles(operation, as_double(a), as_double(b));
}

}  // namespace sparsecfg::python
