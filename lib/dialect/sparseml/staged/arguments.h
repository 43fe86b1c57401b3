#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "diag/sink.h"
#include "dialect/sparseml/expression.h"
#include "dialect/sparseml/staged/read.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::sparseml::staged {

// Evaluates the variables of a stage recipe, and `eval(...)` anywhere in a string (docs/semantics/sparseml.md#h2).
// Reports the SP9 rules.
class Arguments {
 public:
  // Evaluates the variables of the recipe. `overrides` from `--set` replace variables or add new ones.
  Arguments(std::vector<Argument> arguments, const std::vector<std::pair<std::string, source::Value>>& overrides,
            diag::Sink& sink);

  // Evaluates the strings in a field value, including list items and mapping values. Returns false after it has
  // reported one that cannot be evaluated.
  bool evaluate(source::Value& value);

  [[nodiscard]] std::vector<ir::Variable> list() const;
  [[nodiscard]] source::Value metadata() const;

 private:
  bool evaluate_text(source::Value& value);
  std::variant<source::Value, python::ExpressionError> run(const std::string& text) const;
  [[nodiscard]] const source::Value* find(std::string_view name) const;
  [[nodiscard]] bool follows_from_failure(std::string_view text) const;
  void report(const python::ExpressionError& error, const source::Value& value);
  void report_name(const python::ExpressionError& error, source::Span place);

  diag::Sink& sink_;
  std::vector<Argument> arguments_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::set<std::string, std::less<>> failed_;  // variables that cannot be evaluated
  bool gave_up_ = false;                       // true after a cycle, because each cycle costs the whole recursion depth
};

}  // namespace sparsecfg::dialect::sparseml::staged
