#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "ir/curve.h"
#include "python/expression.h"
#include "source/value.h"

// Python's own eval(), as far as recipes of stages can use it: nothing can be called.
namespace sparsecfg::python {

// The value under a name; null where there is none.
using Lookup = std::function<const source::Value*(std::string_view)>;

// Evaluates one expression: arithmetic, comparisons, `and`, `or`, `not`, conditions, the constants
// of `math`, texts joined by `+`. An error of the kind `unsupported` is no error of Python's: it
// marks what only Python can evaluate.
[[nodiscard]] std::variant<source::Value, ExpressionError> evaluate(std::string_view text, const Lookup& lookup);

// The inside of a `calc(...)` as a function of the epoch, which it calls `index`; all other names
// are constants, null where the field is not given.
using Constants = std::map<std::string, std::optional<double>, std::less<>>;
[[nodiscard]] std::variant<ir::Expression, ExpressionError> compile(std::string_view text, const Constants& constants);

// math.pi and the like; nullopt if the module has no such number.
[[nodiscard]] std::optional<double> math_constant(std::string_view name);

}  // namespace sparsecfg::python
