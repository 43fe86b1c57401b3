#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/overloaded.h"
#include "python/numbers.h"
#include "python/value.h"

namespace sparsecfg::python {

struct Arguments {
  const std::vector<Number>& positional;
  const Numbers& named;
};

static Outcome wrong_call(std::string message) { return Fault{ErrorKind::type_error, std::move(message)}; }

static Outcome absolute(const Number& number) {
  return std::visit(base::Overloaded{[](double value) -> Outcome { return std::abs(value); },
                                     [](std::int64_t value) -> Outcome {
                                       return value < 0 ? calculate("-", std::int64_t{0}, value) : value;
                                     }},
                    operand(number));
}

static Outcome truncated(const Number& number) {
  return std::visit(base::Overloaded{[](std::int64_t value) -> Outcome { return value; },
                                     [](double value) -> Outcome { return whole_number("int", std::trunc(value)); }},
                    operand(number));
}

static Outcome call_abs(const Arguments& arguments) {
  if (arguments.positional.size() != 1 || !arguments.named.empty()) {
    return wrong_call("`abs` requires one positional argument");
  }
  return absolute(arguments.positional.front());
}

// `float()` and `int()` return zero. Only strings accept a base.
static Outcome call_float(const Arguments& arguments) {
  if (arguments.positional.size() > 1 || !arguments.named.empty()) {
    return wrong_call("`float` accepts at most one positional argument");
  }
  return arguments.positional.empty() ? 0.0 : as_double(operand(arguments.positional.front()));
}

static Outcome call_int(const Arguments& arguments) {
  if (arguments.positional.size() > 1 || !arguments.named.empty()) {
    return wrong_call("`int` of a number accepts at most one positional argument");
  }
  return arguments.positional.empty() ? std::int64_t{0} : truncated(arguments.positional.front());
}

// Exact even if the int has more bits than a double.
static bool is_less(const Operand& a, const Operand& b) {
  constexpr double kBeyondInts = 9223372036854775808.0;
  return std::visit(
      base::Overloaded{[](auto x, auto y) { return x < y; },
                       [](std::int64_t x, double y) {
                         return y >= kBeyondInts || (y >= -kBeyondInts && x < static_cast<std::int64_t>(std::ceil(y)));
                       },
                       [](double x, std::int64_t y) {
                         return x < -kBeyondInts || (x < kBeyondInts && static_cast<std::int64_t>(std::floor(x)) < y);
                       }},
      a, b);
}

// The first of equal values wins, as in Python.
static Outcome call_extreme(std::string_view name, const Arguments& arguments) {
  if (arguments.positional.size() < 2 || !arguments.named.empty()) {
    return wrong_call(fmt::format("`{}` requires two or more positional arguments", name));
  }
  const auto replaces = [&](const Number& candidate, const Number& best) {
    return name == "min" ? is_less(operand(candidate), operand(best)) : is_less(operand(best), operand(candidate));
  };
  Number best = arguments.positional.front();
  for (const Number& candidate : arguments.positional) {
    best = replaces(candidate, best) ? candidate : best;
  }
  return std::visit([](auto value) -> Outcome { return value; }, best);
}

// Binds the parameters number and ndigits. Returns false if an argument is unknown or duplicate.
static bool bind_round(const Arguments& arguments, std::array<std::optional<Number>, 2>& parameters) {
  if (arguments.positional.size() > parameters.size()) {
    return false;
  }
  std::ranges::copy(arguments.positional, parameters.begin());
  for (const auto& [name, value] : arguments.named) {
    auto& parameter = parameters[name == "number" ? 0 : 1];
    if ((name != "number" && name != "ndigits") || parameter) {
      return false;
    }
    parameter = value;
  }
  return parameters[0].has_value();
}

static Outcome call_round(const Arguments& arguments) {
  std::array<std::optional<Number>, 2> parameters;
  if (!bind_round(arguments, parameters)) {
    return wrong_call("`round` accepts only `number` and an optional `ndigits`");
  }
  const Operand number = operand(*parameters[0]);
  if (!parameters[1]) {
    return rounded(number);
  }
  const Operand digits = operand(*parameters[1]);
  const auto* whole = std::get_if<std::int64_t>(&digits);
  return whole != nullptr ? rounded(number, *whole) : wrong_call("the second argument of `round` is not an int");
}

bool is_function(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kFunctions = {"abs", "float", "int", "max", "min", "round"};
  return std::ranges::find(kFunctions, name) != kFunctions.end();
}

Outcome call(std::string_view name, const std::vector<Number>& positional, const Numbers& named) {
  const Arguments arguments{positional, named};
  if (name == "abs") return call_abs(arguments);
  if (name == "float") return call_float(arguments);
  if (name == "int") return call_int(arguments);
  return name == "round" ? call_round(arguments) : call_extreme(name, arguments);
}

bool is_true(const source::Value& value) {
  return std::visit(base::Overloaded{
                        [](std::monostate) { return false; },
                        [](bool flag) { return flag; },
                        [](std::int64_t integer) { return integer != 0; },
                        [](double real) { return real != 0; },
                        [](const std::string& text) { return !text.empty(); },
                        [](const source::List& list) { return !list.empty(); },
                        [](const source::Map& map) { return !map.empty(); },
                        [](const auto&) { return true; },
                    },
                    value.data);
}

}  // namespace sparsecfg::python
