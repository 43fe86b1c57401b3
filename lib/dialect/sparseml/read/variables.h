#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diag/sink.h"
#include "dialect/sparseml/read/layout.h"
#include "ir/recipe.h"
#include "python/expression.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml {

inline constexpr std::string_view kMetadataKey = "__metadata__";
inline constexpr std::string_view kEvalOpening = "eval(";

// What `--set NAME=VALUE` gives.
using Overrides = std::vector<std::pair<std::string, source::Value>>;

// A top-level or stage key that is not a stage: a variable, or a group that no expression names.
struct Variable {
  std::string name;
  source::Span key;
  source::Value value;
  bool is_group = false;
  bool is_number = false;  // a number by itself or after evaluation
  bool settled = true;     // false: an `eval(...)` that could not be evaluated
  bool failed = false;     // an `eval(...)` of which nothing can come, which is reported
  bool used = false;
  std::string missing{};  // the name that an `eval(...)` waits for, while it can't be evaluated
};

// The variables of one level.
struct Scope {
  std::string stage;  // empty for the top level
  std::deque<Variable> variables;
  source::Span key{};  // of the stage
  std::unordered_map<std::string_view, Variable*> by_name{};
  std::vector<Variable*> odd_names{};  // that no expression can hold as a name

  // To be called for each variable once, in order.
  void add(Variable variable);
  [[nodiscard]] Variable* find(std::string_view name) const;
};

// The variables of a recipe, evaluated as SparseML evaluates them (reference/sparseml.md A.5 and
// A.6), and the evaluation of `eval(...)` in the fields of modifiers. Reports the family SP9.
class Variables {
 public:
  Variables(const source::SourceFile& file, const doc::Document& document, const Layout& layout,
            const Overrides& overrides, bool evaluated, diag::Sink& sink);

  // Evaluates the `eval(...)` texts in a field's value, in lists and in the values of mappings
  // too. False where one could not be evaluated, which is then reported.
  bool evaluate(const std::string& stage, source::Value& value);

  // Returns true if a field of the stage can use a variable of this name.
  [[nodiscard]] bool knows(const std::string& stage, std::string_view name) const;

  // Returns the place of the value of the one variable that a field's `eval(...)` consists of; empty if it is more.
  [[nodiscard]] source::Span place_of_value(const std::string& stage, std::string_view written) const;

  // To be called once after all fields: unused variables (SP907) and shadowed ones (SP904).
  void report_habits();

  [[nodiscard]] std::vector<ir::Variable> list() const;
  [[nodiscard]] source::Value metadata() const;

 private:
  Scope read_scope(const doc::Document& document, const std::string& stage, const std::vector<Section>& sections);
  void apply(const Overrides& overrides);
  void report_override(const std::string& name, const std::vector<std::string_view>& known);
  void resolve(Scope& scope, Scope* global);
  void resolve_all(Scope& scope, Scope* global);
  bool resolve(Variable& variable, Scope& scope, Scope* global);
  void use_in_unread_parts();
  void report_unsettled(Scope& scope);
  bool report_unknown_name(const Variable& variable, const std::set<std::string, std::less<>>& waiting, Scope& scope);
  void report_cycles(Scope& scope, const std::set<std::string, std::less<>>& waiting,
                     std::set<std::string, std::less<>> excused);
  std::vector<Scope*> scopes_of(const std::string& stage);
  bool evaluate_text(const std::string& stage, source::Value& value);
  void report(const python::ExpressionError& error, const source::Value& value, Scope& scope, Scope* outer);
  void report_name(const python::ExpressionError& error, source::Span place, Scope& scope, Scope* outer);
  std::optional<std::string_view> nearest_to(const std::string& name, Scope& scope);
  std::string advice_on(const std::string& name);
  [[nodiscard]] diag::Fix spelled_out(const source::Value& value) const;
  source::Span place_of(const source::Value& value, const python::ExpressionError& error) const;

  const source::SourceFile& file_;
  diag::Sink& sink_;
  bool evaluated_ = true;  // false where stages are dropped, and for the releases of 2020
  Scope global_;
  std::deque<Scope> stages_;
  std::vector<std::uint32_t> anchored_;  // where values with an anchor begin, in order
  int guesses_left_ = 100;               // names that are looked up among similar ones
};

// Returns true if SparseML evaluates a string: it begins with `eval(` and ends with `)`.
[[nodiscard]] bool is_eval(std::string_view text);

// Returns true if `eval(` stands in a value, or in a list's items or a mapping's values.
[[nodiscard]] bool holds_eval(const source::Value& value);

// Returns the text of a value that is such a string; empty for any other value.
[[nodiscard]] std::string_view eval_text(const source::Value& value);

// Returns what SparseML evaluates of it: it cuts five characters from the front and one from the back.
[[nodiscard]] std::string_view inside_eval(std::string_view text);

[[nodiscard]] source::Value as_value(const python::Number& number, source::Span span);

// Returns the number of a name for an expression, from the nearest scope that has one.
[[nodiscard]] std::optional<python::Number> number_in(std::span<Scope* const> scopes, std::string_view name);

// Marks the variables that an `eval(...)` names as used, also if it fails.
void use(std::string_view text, Scope& scope);

}  // namespace sparsecfg::dialect::sparseml
