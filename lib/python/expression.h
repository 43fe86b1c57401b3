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

// A Python number as recipes use them; int and float are different things.
using Number = std::variant<bool, std::int64_t, double>;
using Numbers = std::map<std::string, Number, std::less<>>;

struct ExpressionError {
  enum class Kind : std::uint8_t {
    syntax,            // Python's SyntaxError, or nothing to evaluate
    unknown_variable,  // `name` is not among the variables
    unsupported,       // Python, but not what SparseML's evaluator knows (reference A.5)
    division_by_zero,
    too_large,   // beyond 64-bit ints or Python's OverflowError
    type_error,  // the call would raise TypeError or ValueError (`round(1, 2, 3)`, `int(nan)`)
  };
  Kind kind;
  std::string message;       // lower case, no full stop, what was seen: "unary `+` is not supported"
  std::uint32_t offset = 0;  // into the expression's text, in bytes
  std::string name;          // for unknown_variable
};

// The number under a name; nullopt if there is none.
using NumberLookup = std::function<std::optional<Number>(std::string_view)>;

// The inside of an `eval(...)`, parsed once. `text` is what stands between the outer parentheses, unstripped; only its
// first statement counts, the rest must still parse.
class Expression {
 public:
  explicit Expression(std::string_view text);

  // Evaluates it as SparseML's restricted evaluator does: Python's arithmetic on numbers (`+ - * / // % **`), names,
  // the calls abs, float, int, min, max and round; what is broken there (unary minus) is an error here.
  [[nodiscard]] std::variant<Number, ExpressionError> evaluate(const NumberLookup& number_of) const;

  // The names that it reads, function names aside, in order, repeats kept; empty where it does not parse.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::variant<Node, ExpressionError> parsed_;
};

// Parses an expression and evaluates it.
[[nodiscard]] std::variant<Number, ExpressionError> evaluate(std::string_view text, const Numbers& variables);
[[nodiscard]] std::vector<std::string> names_in(std::string_view text);

}  // namespace sparsecfg::python
