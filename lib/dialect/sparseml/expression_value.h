#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dialect/sparseml/expression.h"

namespace sparsecfg::dialect::sparseml {

// What Python would raise, or where our numbers end.
struct Fault {
  ExpressionError::Kind kind;
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

// One of the functions abs, float, int, min, max and round. The name of an argument given as
// `**mapping` is `**`.
using NamedNumber = std::pair<std::string, Number>;
[[nodiscard]] bool is_function(std::string_view name);
[[nodiscard]] Outcome call(std::string_view name, const std::vector<Number>& positional,
                           const std::vector<NamedNumber>& named);

}  // namespace sparsecfg::dialect::sparseml
