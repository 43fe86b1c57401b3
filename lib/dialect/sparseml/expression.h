#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "python/tree.h"
#include "python/value.h"

namespace sparsecfg::dialect::sparseml {

using python::ExpressionError;
using python::Number;
using python::Numbers;

// Returns the number with a name; nullopt if it is undefined.
using NumberLookup = std::function<std::optional<Number>(std::string_view)>;

// The content of an `eval(...)`, parsed once. `text` is the content of the outer parentheses, including white space.
// Only its first statement is evaluated, but all must be valid.
class Expression {
 public:
  explicit Expression(std::string_view text);

  // Evaluates the expression like SparseML's restricted evaluator: arithmetic on numbers (`+ - * / // % **`), names,
  // and the functions abs, float, int, min, max and round. Constructs that fail there, such as unary minus, are errors
  // here.
  [[nodiscard]] std::variant<Number, ExpressionError> evaluate(const NumberLookup& number_of) const;

  // Returns the names that the expression reads, except function names, in order and with repetitions. Empty after a
  // syntax error.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::variant<python::Node, ExpressionError> parsed_;
};

// Parses and evaluates an expression.
[[nodiscard]] std::variant<Number, ExpressionError> evaluate(std::string_view text, const Numbers& variables);
[[nodiscard]] std::vector<std::string> names_in(std::string_view text);

}  // namespace sparsecfg::dialect::sparseml
