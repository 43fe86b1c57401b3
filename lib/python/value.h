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

// An error that Python would raise, or an exceeded limit of our number types.
struct Fault {
  ErrorKind kind;
  std::string message;
};

using Outcome = std::variant<Number, Fault>;

// A bool counts as an int, as in Python.
using Operand = std::variant<std::int64_t, double>;
[[nodiscard]] Operand operand(const Number& number);
[[nodiscard]] double as_double(const Operand& number);

// Returns true for the operators + - * / // % **.
[[nodiscard]] bool is_arithmetic(std::string_view operation);
[[nodiscard]] Outcome calculate(std::string_view operation, const Number& left, const Number& right);

// Returns true for the functions abs, float, int, min, max and round. SparseML uses the last of two arguments with the
// same name. The name of a `**mapping` argument is `**`.
[[nodiscard]] bool is_function(std::string_view name);
[[nodiscard]] Outcome call(std::string_view name, const std::vector<Number>& positional, const Numbers& named);

}  // namespace sparsecfg::python
