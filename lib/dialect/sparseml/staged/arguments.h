#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "diag/sink.h"
#include "dialect/sparseml/staged/layout.h"
#include "ir/recipe.h"
#include "python/expression.h"

namespace sparsecfg::dialect::sparseml::staged {

// The variables of a recipe of stages, and the evaluation of `eval(...)` wherever it stands in a
// text (reference/sparseml.md B.9). Reports the family SP9.
class Arguments {
 public:
  // Evaluates the variables, those of the recipe replaced and joined by what `--set` gives.
  Arguments(std::vector<Argument> arguments, const std::vector<std::pair<std::string, source::Value>>& overrides,
            diag::Sink& sink);

  // Evaluates the texts in a field's value, in lists and in the values of mappings too. False
  // where one could not be evaluated, which is then reported.
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
  std::set<std::string, std::less<>> failed_;  // variables that could not be evaluated
  bool gave_up_ = false;                       // after a cycle: each costs SparseML's whole depth of recursion
};

}  // namespace sparsecfg::dialect::sparseml::staged
