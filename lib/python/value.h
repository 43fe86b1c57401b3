#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparsecfg::python {

// A Python number. int and float are distinct types.
using Number = std::variant<bool, std::int64_t, double>;
using Numbers = std::map<std::string, Number, std::less<>>;

struct ExpressionError {
  enum class Kind : std::uint8_t {
    syntax,            // Python's SyntaxError, or an empty expression
    unknown_variable,  // `name` is undefined
    unsupported,       // valid Python that the evaluator does not support
    division_by_zero,
    too_large,   // exceeds 64-bit ints or raises OverflowError
    type_error,  // the call would raise TypeError or ValueError (`round(1, 2, 3)`, `int(nan)`)
  };
  Kind kind;
  std::string message;       // lower case, no final period: "unary `+` is not supported"
  std::uint32_t offset = 0;  // byte offset in the text
  std::string name;          // for unknown_variable
};

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
