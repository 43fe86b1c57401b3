#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "python/tree.h"

namespace sparsecfg::python {

// A Python number. int and float are distinct types.
using Number = std::variant<bool, std::int64_t, double>;
using Numbers = std::map<std::string, Number, std::less<>>;

struct ExpressionError {
  enum class Kind : std::uint8_t {
    syntax,            // Python's SyntaxError, or an empty expression
    unknown_variable,  // `name` is undefined
    unsupported,       // valid Python that SparseML's evaluator does not support (reference A.5)
    division_by_zero,
    too_large,   // exceeds 64-bit ints or raises OverflowError
    type_error,  // the call would raise TypeError or ValueError (`round(1, 2, 3)`, `int(nan)`)
  };
  Kind kind;
  std::string message;       // lower case, no final period: "unary `+` is not supported"
  std::uint32_t offset = 0;  // byte offset in the expression
  std::string name;          // for unknown_variable
};

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
  std::variant<Node, ExpressionError> parsed_;
};

// Parses and evaluates an expression.
[[nodiscard]] std::variant<Number, ExpressionError> evaluate(std::string_view text, const Numbers& variables);
[[nodiscard]] std::vector<std::string> names_in(std::string_view text);

}  // namespace sparsecfg::python
