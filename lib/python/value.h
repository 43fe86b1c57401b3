#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "python/expression.h"

namespace sparsecfg::python {

using ErrorKind = ExpressionError::Kind;

// An error that Python would raise, or a limit of the numbers here.
struct Fault {
  ErrorKind kind;
  std::string message;
};

using Outcome = std::variant<Number, Fault>;

// Python counts a bool as an int.
using Operand = std::variant<std::int64_t, double>;
[[nodiscard]] Operand operand(const Number& number);
[[nodiscard]] double as_double(const Operand& number);

// One of the operators + - * / // % **.
[[nodiscard]] bool is_arithmetic(std::string_view operation);
[[nodiscard]] Outcome calculate(std::string_view operation, const Number& left, const Number& right);

// One of the functions abs, float, int, min, max and round. Of two arguments with
// one name SparseML takes the last; the name of a `**mapping` is `**`.
[[nodiscard]] bool is_function(std::string_view name);
[[nodiscard]] Outcome call(std::string_view name, const std::vector<Number>& positional, const Numbers& named);

}  // namespace sparsecfg::python
