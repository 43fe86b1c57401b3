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
#include "dialect/sparseml/expression.h"
#include "dialect/sparseml/read/layout.h"
#include "ir/recipe.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml {

inline constexpr std::string_view kMetadataKey = "__metadata__";
inline constexpr std::string_view kEvalOpening = "eval(";

// Values from `--set NAME=VALUE`.
using Overrides = std::vector<std::pair<std::string, source::Value>>;

// A top-level or stage key that is not a stage: a variable, or a group, which expressions cannot refer to.
struct Variable {
  std::string name;
  source::Span key;
  source::Value value;
  bool is_group = false;
  bool is_number = false;  // the value is a number, possibly after evaluation
  bool settled = true;     // false for an `eval(...)` that could not be evaluated
  bool failed = false;     // an `eval(...)` with an error that has been reported
  bool used = false;
  std::string missing{};  // the undefined name that prevents evaluation of an `eval(...)`
};

// A variable and the location of its value.
struct NamedPlace {
  std::string name;
  source::Span place;
};

// The variables of one level.
struct Scope {
  std::string stage;  // empty for the top level
  std::deque<Variable> variables;
  source::Span key{};  // the key of the stage
  std::unordered_map<std::string_view, Variable*> by_name{};
  std::vector<Variable*> odd_names{};  // names that cannot be written in an expression

  // Must be called once for each variable, in document order.
  void add(Variable variable);
  [[nodiscard]] Variable* find(std::string_view name) const;
};

// Evaluates the variables of a recipe, and `eval(...)` in the fields of modifiers, as SparseML does
// (docs/semantics/sparseml.md#a4, #a5). Reports the SP9 rules.
class Variables {
 public:
  Variables(const source::SourceFile& file, const doc::Document& document, const Layout& layout,
            const Overrides& overrides, bool evaluated, diag::Sink& sink);

  // Evaluates `eval(...)` strings in a field value, including list items and mapping values. Returns false after it has
  // reported one that cannot be evaluated.
  bool evaluate(const std::string& stage, source::Value& value);

  // Returns true if a field of the stage can use a variable of this name.
  [[nodiscard]] bool knows(const std::string& stage, std::string_view name) const;

  // Returns the variable and the location of its value if `written` is an `eval(...)` of a single variable.
  [[nodiscard]] std::optional<NamedPlace> whole_variable(const std::string& stage, std::string_view written) const;

  // Returns the location of the variable's value if `written` is an `eval(...)` of a single variable, else an empty
  // span.
  [[nodiscard]] source::Span place_of_value(const std::string& stage, std::string_view written) const;

  // Returns true the first time it is called for the value of a variable, so that its mistake is reported once.
  [[nodiscard]] bool is_first_report(source::Span value) { return reported_.insert(value).second; }

  // Returns the first places where `eval(...)` consists of the variable with this value.
  [[nodiscard]] std::vector<source::Span> uses_of(source::Span value) const;

  // Returns true if expressions are not evaluated for a reason that was reported.
  [[nodiscard]] bool is_stop_reported() const { return stop_reported_; }

  // Reports unused (SP907) and shadowed (SP904) variables. Must be called once, after all fields have been evaluated.
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
  void offer_global(diag::Diagnostic& report, source::Span place, const Scope& scope, const Scope& global,
                    const std::string& missing) const;
  void report_negative(source::Span minus, const std::string& message);
  std::optional<std::string_view> nearest_to(const std::string& name, Scope& scope);
  std::string advice_on(const std::string& name);
  [[nodiscard]] const Variable* section_with(const std::string& name) const;
  void report_nested(const Variable& section);
  [[nodiscard]] diag::Fix spelled_out(const source::Value& value) const;
  source::Span place_of(const source::Value& value, const python::ExpressionError& error) const;

  const source::SourceFile& file_;
  diag::Sink& sink_;
  bool evaluated_ = true;  // false if stages are dropped, and for the 2020 releases
  bool stop_reported_ = false;
  std::set<source::Span> reported_;
  std::set<source::Span> nested_;  // keys of mappings whose entries are used as variables
  Scope global_;
  std::deque<Scope> stages_;
  std::vector<std::uint32_t> anchored_;  // start offsets of values with an anchor, sorted
  int guesses_left_ = 100;               // remaining searches for similar names
};

// Returns true if SparseML evaluates a string: it begins with `eval(` and ends with `)`.
[[nodiscard]] bool is_eval(std::string_view text);

// Returns true if a string in the value contains `eval(`, including list items and mapping values.
[[nodiscard]] bool holds_eval(const source::Value& value);

// Returns the string if is_eval() is true for it, else an empty string.
[[nodiscard]] std::string_view eval_text(const source::Value& value);

// Returns the part that SparseML evaluates: it removes five characters from the front and one from the back.
[[nodiscard]] std::string_view inside_eval(std::string_view text);

[[nodiscard]] source::Value as_value(const python::Number& number, source::Span span);

// Returns the number that `name` has in an expression, from the innermost scope that defines one.
[[nodiscard]] std::optional<python::Number> number_in(std::span<Scope* const> scopes, std::string_view name);

// Marks all variables in an `eval(...)` as used, even if its evaluation fails.
void use(std::string_view text, Scope& scope);

}  // namespace sparsecfg::dialect::sparseml
