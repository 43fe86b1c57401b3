#include <fmt/core.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/record/types.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/expression.h"
#include "dialect/sparseml/read/variables.h"
#include "doc/fixes.h"
#include "python/normalized_name.h"

// Diagnostics of variables and expressions.
namespace sparsecfg::dialect::sparseml {

using source::Span;
using source::Value;

DIAGNOSTIC(SP903, unknown_override, error, (Text), "`--set` names `{}`, which is not a variable of the recipe",
           "`--set` can override only existing variables of the recipe. It cannot override lists of modifiers.",
           "add the variable to the recipe first")

void Variables::report_override(const std::string& name, const std::vector<std::string_view>& known) {
  const auto guess = base::nearest(name, known);
  const Variable* group = global_.find(name);
  const Variable* meant = group == nullptr && guess ? global_.find(*guess) : group;
  sink_.report(diag::unknown_override, meant == nullptr ? Span{} : meant->key, name)
      .with_help(group != nullptr ? "edit the recipe: a list of modifiers cannot be overridden"
                 : guess          ? fmt::format("did you mean `{}`?", *guess)
                                  : "");
}

// Returns the location of an error inside the expression, if the file contains the string verbatim. Otherwise returns
// the location of the whole value.
Span Variables::place_of(const Value& value, const python::ExpressionError& error) const {
  const auto* text = value.get<std::string>();
  if (text == nullptr || value.span.empty()) {
    return value.span;
  }
  const char first = file_.text()[value.span.begin];
  const std::uint32_t begin = value.span.begin + (first == '"' || first == '\'' ? 1 : 0);
  const auto offset = static_cast<std::uint32_t>(kEvalOpening.size()) + error.offset;
  if (file_.text().substr(begin, text->size()) != *text || offset >= text->size()) {
    return value.span;
  }
  const auto width = static_cast<std::uint32_t>(std::max<std::size_t>(1, error.name.size()));
  return {begin + offset, begin + offset + width};
}

DIAGNOSTIC(SP905, eval_unsupported, error, (Text), "{}",
           "SparseML evaluates numbers, variables, the operators + - * / // % ** and the functions abs, float, int, "
           "min, max and round. All other Python syntax is rejected, including a unary minus: write `0 - x`.",
           "use only numbers, variables, + - * / // % **, and abs, float, int, min, max or round")

DIAGNOSTIC(SP906, eval_division_by_zero, error, (Text), "division by zero in `{}`",
           "Python raises a ZeroDivisionError and the recipe is not loaded.", "write a divisor other than 0")

void Variables::report(const python::ExpressionError& error, const Value& value, Scope& scope, Scope* outer) {
  const Span place = place_of(value, error);
  switch (error.kind) {
    case python::ExpressionError::Kind::unknown_variable: report_name(error, place, scope, outer); break;
    case python::ExpressionError::Kind::division_by_zero:
      sink_.report(diag::eval_division_by_zero, place, *value.get<std::string>());
      break;
    case python::ExpressionError::Kind::too_large: sink_.report(diag::eval_too_large, place, error.message); break;
    case python::ExpressionError::Kind::syntax:
    case python::ExpressionError::Kind::unsupported:
    case python::ExpressionError::Kind::type_error:
      // Only unary minus is unsupported, `-` between two values works.
      if (file_.text(place) == "-") {
        report_negative(place, error.message);
        break;
      }
      sink_.report(diag::eval_unsupported, place, error.message)
          .with_fix(file_.text(place) == "+" ? diag::Fix::safe().replace(place, "") : diag::Fix());
      break;
  }
}

// Offers the subtraction that has the value of a negative operand, unless that is part of a power or a call.
void Variables::report_negative(Span minus, const std::string& message) {
  const std::string_view rest = file_.text().substr(minus.end);
  const std::size_t begin = std::min(rest.find_first_not_of(' '), rest.size());
  const auto in_operand = [](char c) { return base::is_letter(c) || base::is_digit(c) || c == '_' || c == '.'; };
  const auto end = std::find_if_not(rest.begin() + static_cast<std::ptrdiff_t>(begin), rest.end(), in_operand);
  const std::size_t length = static_cast<std::size_t>(end - rest.begin());
  const std::string operand(rest.substr(begin, length - begin));
  const std::string_view next = base::trim(rest.substr(length, 3));
  auto& report = sink_.report(diag::eval_unsupported, minus, message);
  if (operand.empty() || next.starts_with("**") || next.starts_with('(')) {
    report.with_help("subtract from 0 instead");
    return;
  }
  const std::string meant = fmt::format("(0 - {})", operand);
  report.with_help(fmt::format("write `{}` instead of `-{}`", meant, operand))
      .with_fix(diag::Fix::safe().replace({minus.begin, minus.end + static_cast<std::uint32_t>(length)}, meant));
}

// Returns a fix that turns a string into a number, if the string is written in the file.
diag::Fix Variables::spelled_out(const Value& value) const {
  const std::string& text = *value.get<std::string>();
  const auto spelled = doc::spelled_as_float(text);
  const bool written = file_.text(value.span).find(text) != std::string_view::npos;
  return spelled && written ? diag::Fix::safe().replace(value.span, *spelled) : diag::Fix();
}

DIAGNOSTIC(SP901, undefined_variable, error, (Text), "undefined variable `{}`",
           "An expression can use top-level keys with numeric values and, in a stage, those of the stage. Strings and "
           "lists can only be used as the whole expression, as in `eval(name)` without spaces. A variable of a stage "
           "can use a global variable only in that form.",
           "define the variable at the top level, or correct its name")

DIAGNOSTIC(SP909, variable_is_string_number, error, (Text, Text),
           "`{}` is the string `{}`, which cannot be used in arithmetic",
           "YAML 1.1 reads `1e-4` as a string: a float needs a decimal point and a sign in its exponent.",
           "write the number with a decimal point and a sign in its exponent, such as `1.0e-4`")

// Returns the variable whose name Python would read as `name` in an expression. SparseML does not normalize keys.
static const Variable* variant_of(std::string_view name, const Scope& scope, int& guesses_left) {
  if (scope.odd_names.empty() || guesses_left-- <= 0) return nullptr;
  const auto found = std::ranges::find_if(
      scope.odd_names, [&](const Variable* variable) { return python::normalized_name(variable->name) == name; });
  return found == scope.odd_names.end() ? nullptr : *found;
}

void Variables::report_name(const python::ExpressionError& error, Span place, Scope& scope, Scope* outer) {
  const std::string shown = error.name;
  const Variable* named = scope.find(error.name);
  const auto* text = named == nullptr ? nullptr : named->value.get<std::string>();
  const auto number = text == nullptr ? std::nullopt : base::python_float(*text);
  if (number) {
    sink_.report(diag::variable_is_string_number, place, shown, *text)
        .with_help(fmt::format("write `{}`", float_as_yaml(*number)))
        .with_label(named->value.span, "a string in YAML 1.1")
        .with_fix(spelled_out(named->value));
    return;
  }
  auto& report = sink_.report(diag::undefined_variable, place, shown);
  if (const Variable* section = section_with(error.name)) {
    nested_.insert(section->key);
    report.with_cause(section->key);
  } else if (named != nullptr) {
    report.with_help(
        fmt::format("use a number: `{}` is {}, which works only as the whole value `eval({})`, without spaces", shown,
                    source::describe(named->value), shown));
  } else if (outer != nullptr && outer->find(error.name) != nullptr) {
    report.with_caret("a global variable: a variable of a stage uses it only as the whole value");
    offer_global(report, place, scope, *outer, shown);
  } else if (const Variable* variant = variant_of(error.name, scope, guesses_left_)) {
    report
        .with_help(fmt::format("name the variable `{0}`, because Python reads its name in `eval(...)` as `{0}`", shown))
        .with_label(variant->key, "a name with other characters")
        .with_fix(diag::Fix::safe().replace(variant->key, shown));
  } else if (const auto guess = nearest_to(error.name, scope)) {
    report.with_help(base::did_you_mean(guess))
        .with_fix(file_.text(place) == error.name ? diag::Fix::unsafe().replace(place, std::string(*guess))
                                                  : diag::Fix());
  } else {
    report.with_help(advice_on(error.name));
  }
}

// Returns true if a scope has all names of an expression and the other scope has none of them.
static bool has_only_names_of(std::string_view expression, const Scope& scope, const Scope& other) {
  return std::ranges::all_of(names_in(expression), [&](const std::string& name) {
    return scope.find(name) != nullptr && other.find(name) == nullptr;
  });
}

// Returns the last variable of the top level in the file; null if it has none.
static const Variable* last_variable(const Scope& scope) {
  const Variable* last = nullptr;
  for (const Variable& variable : scope.variables) {
    const bool plain = !variable.is_group && !variable.key.empty() && variable.value.get<source::Map>() == nullptr;
    if (plain && (last == nullptr || last->key < variable.key)) last = &variable;
  }
  return last;
}

// Offers to define a variable of a stage at the top level, where all names of its expression are. The modifiers of the
// stage see it there as well. Otherwise the name has to be repeated in the stage.
void Variables::offer_global(diag::Diagnostic& report, Span place, const Scope& scope, const Scope& global,
                             const std::string& missing) const {
  const auto contains = [&](const Variable& each) {
    return each.value.span.begin <= place.begin && place.end <= each.value.span.end;
  };
  const auto found = std::ranges::find_if(scope.variables, contains);
  const bool known = found != scope.variables.end();
  const auto shares = [&](const Scope& each) { return &each != &scope && each.find(found->name) != nullptr; };
  const Variable* last = last_variable(global);
  const std::string_view text = known ? eval_text(found->value) : std::string_view();
  if (text.empty() || last == nullptr || global.find(found->name) != nullptr || std::ranges::any_of(stages_, shares) ||
      !has_only_names_of(inside_eval(text), global, scope)) {
    const Value& value = global.find(missing)->value;
    report.with_help(value.number()
                         ? fmt::format("also write `{}: {}` in `{}`", missing, source::python_str(value), scope.stage)
                         : fmt::format("repeat the value of `{}` in `{}`", missing, scope.stage));
    return;
  }
  const std::string line = fmt::format("{}: {}", found->name, text);
  report.with_help(fmt::format("write `{}` at the top level, and delete it from `{}`", line, scope.stage))
      .with_fix(diag::Fix::unsafe().add_entry(last->key, line).remove(found->key));
}

// Returns the top-level mapping that defines the name, where SparseML does not search.
const Variable* Variables::section_with(const std::string& name) const {
  const auto found = std::ranges::find_if(global_.variables, [&](const Variable& variable) {
    return !variable.is_group && variable.value.get<source::Map>() != nullptr && variable.value.find(name) != nullptr;
  });
  return found == global_.variables.end() ? nullptr : &*found;
}

// Offers to move the entries of a block mapping to the level of its key.
static diag::Fix lifted(const source::SourceFile& file, const Variable& section) {
  const Span entries = section.value.span;
  const std::string_view text = file.text();
  const std::size_t line = text.rfind('\n', entries.begin) + 1;
  const std::size_t indent = entries.begin - line;
  if (text[entries.begin] == '{' || line <= section.key.begin || indent == 0) {
    return {};
  }
  diag::Fix fix = diag::Fix::unsafe().replace({section.key.begin, entries.begin}, "");
  for (std::size_t at = text.find('\n', entries.begin); at != std::string_view::npos && at + 1 < entries.end;
       at = text.find('\n', at + 1)) {
    if (text.substr(at + 1).starts_with(std::string(indent, ' '))) {
      const auto begin = static_cast<std::uint32_t>(at + 1);
      fix.replace({begin, begin + static_cast<std::uint32_t>(indent)}, "");
    }
  }
  return fix;
}

void Variables::report_nested(const Variable& section) {
  sink_.report(diag::unknown_section, section.key, section.name)
      .with_severity(diag::Severity::error)
      .with_caret("variables are keys of the recipe itself")
      .with_help(fmt::format("delete the line `{}:`, and move its entries to the top level", section.name))
      .with_fix(lifted(file_, section));
}

std::optional<std::string_view> Variables::nearest_to(const std::string& name, Scope& scope) {
  if (guesses_left_-- <= 0) {
    return std::nullopt;
  }
  std::vector<std::string_view> known;
  for (const Variable& variable : scope.variables) {
    if (!variable.is_group) known.push_back(variable.name);
  }
  const auto guess = base::nearest(name, known);
  if (guess) {
    scope.find(*guess)->used = true;
  }
  return guess;
}

std::string Variables::advice_on(const std::string& name) {
  const auto other = std::ranges::find_if(stages_, [&](Scope& stage) { return stage.find(name) != nullptr; });
  return other == stages_.end()
             ? fmt::format("define `{0}` at the top level, such as `{0}: 0.9`", name)
             : fmt::format("define it at the top level: stage `{}` defines it only for itself", other->stage);
}

// Marks variables as used that occur in expressions of modifiers that could not be read, such as those of an unknown
// class, or in template or shell placeholders, which are reported separately.
void Variables::use_in_unread_parts() {
  constexpr std::size_t kMaxPartLength = 500;
  const std::string_view text = file_.text();
  for (const std::string_view opening : {kEvalOpening, std::string_view("{{"), std::string_view("$")}) {
    if (text.find(opening.back()) == std::string_view::npos) continue;  // fast path for most recipes
    for (std::size_t at = text.find(opening); at != std::string_view::npos; at = text.find(opening, at + 1)) {
      const std::string_view line = text.substr(at, kMaxPartLength);
      const std::string expression = fmt::format("{}{}", kEvalOpening, line.substr(0, line.find('\n')));
      use(expression, global_);
      std::ranges::for_each(stages_, [&](Scope& stage) { use(expression, stage); });
    }
  }
}

bool Variables::knows(const std::string& stage, std::string_view name) const {
  const auto inner = std::ranges::find(stages_, stage, &Scope::stage);
  const Variable* found = inner == stages_.end() ? nullptr : inner->find(name);
  found = found == nullptr ? global_.find(name) : found;
  return found != nullptr && !found->is_group;
}

std::optional<NamedPlace> Variables::whole_variable(const std::string& stage, std::string_view written) const {
  const auto inner = std::ranges::find(stages_, stage, &Scope::stage);
  const std::string_view name = is_eval(written) ? inside_eval(written) : std::string_view();
  const Variable* found = inner == stages_.end() ? nullptr : inner->find(name);
  found = found == nullptr ? global_.find(name) : found;
  return found != nullptr && !name.empty() ? std::optional(NamedPlace{found->name, found->value.span}) : std::nullopt;
}

Span Variables::place_of_value(const std::string& stage, std::string_view written) const {
  const auto found = whole_variable(stage, written);
  return found ? found->place : Span();
}

std::vector<Span> Variables::uses_of(Span value) const {
  constexpr std::size_t kMaxUses = 3;
  std::vector<Span> uses;
  const auto add = [&](const Scope& scope) {
    const auto named = std::ranges::find(scope.variables, value, [](const Variable& each) { return each.value.span; });
    const std::string written = named == scope.variables.end() ? "" : fmt::format("{}{})", kEvalOpening, named->name);
    std::size_t at = written.empty() ? std::string_view::npos : file_.text().find(written);
    for (; at != std::string_view::npos && uses.size() < kMaxUses; at = file_.text().find(written, at + 1)) {
      uses.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + written.size())});
    }
  };
  add(global_);
  std::ranges::for_each(stages_, add);
  return uses;
}

DIAGNOSTIC(SP904, variable_shadowed_by_stage, warning, (Text, Text),
           "`{}` is redefined in stage `{}`, which uses that value",
           "A variable of a stage hides the global variable of the same name for the modifiers of that stage.",
           "rename the variable of the stage")

DIAGNOSTIC(SP907, unused_variable, info, (Text), "variable `{}` is never used",
           "No `eval(...)` uses the variable and no alias refers to it.",
           "delete the variable, or use it as `eval({0})`")

void Variables::report_habits() {
  use_in_unread_parts();
  static constexpr std::string_view kGroup[] = {"modifiers"};
  for (const Variable& variable : global_.variables) {
    if (nested_.contains(variable.key)) {
      report_nested(variable);
      continue;
    }
    const auto anchor = std::ranges::lower_bound(anchored_, variable.value.span.begin);
    const bool shared = anchor != anchored_.end() && *anchor <= variable.value.span.end;
    if (variable.is_group || variable.used || shared || variable.name == "version" || variable.name == kMetadataKey) {
      continue;
    }
    if (variable.name.find("modifiers") == std::string::npos && base::nearest(variable.name, kGroup)) {
      sink_.report(diag::unknown_section, variable.key, variable.name)
          .with_help("did you mean `modifiers`?")
          .with_fix(diag::Fix::unsafe().content(variable.key, "modifiers"));
    } else if (!variable.value.get<source::Map>() && variable.name.find("modifiers") == std::string::npos) {
      sink_.report(diag::unused_variable, variable.key, variable.name)
          .with_help(fmt::format("use it with `eval({})`, or delete it", variable.name))
          .with_fix(sink_.has_errors() ? diag::Fix() : diag::Fix::unsafe().remove(variable.key));
    }
  }
  for (Scope& stage : stages_) {
    for (const Variable& variable : stage.variables) {
      const Variable* hidden = global_.find(variable.name);
      if (hidden != nullptr && !variable.is_group && variable.name != kMetadataKey) {
        sink_.report(diag::variable_shadowed_by_stage, variable.key, variable.name, stage.stage)
            .with_label(hidden->key, "overridden in the stage");
      }
    }
  }
}

}  // namespace sparsecfg::dialect::sparseml
