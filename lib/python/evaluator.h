#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <variant>

#include "python/value.h"
#include "source/value.h"

// Python's eval() for staged recipes. Calls are not supported.
namespace sparsecfg::python {

// Returns the value of a name; null if it is undefined.
using Lookup = std::function<const source::Value*(std::string_view)>;

// Evaluates one expression: arithmetic, comparisons, `and`, `or`, `not`, conditional expressions, the constants of
// `math`, and strings joined by `+`. An error of kind `unsupported` is not a Python error: it marks an expression that
// only Python can evaluate.
[[nodiscard]] std::variant<source::Value, ExpressionError> evaluate(std::string_view text, const Lookup& lookup);

// Returns math.pi and other constants; nullopt for other names.
[[nodiscard]] std::optional<double> math_constant(std::string_view name);

}  // namespace sparsecfg::python
