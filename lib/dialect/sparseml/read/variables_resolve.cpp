#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/read/variables.h"

// Resolves variables of one level that depend on each other through `eval(...)`.
namespace sparsecfg::dialect::sparseml {

void Variables::resolve(Scope& scope, Scope* global) {
  for (Variable& variable : scope.variables) {
    const std::string_view text = eval_text(variable.value);
    variable.settled = text.empty();
    use(text, scope);
    if (global != nullptr) {
      use(text, *global);
    }
  }
  resolve_all(scope, global);
  report_unsettled(scope);
}

// Retries each variable when the variable that it depends on has been resolved.
void Variables::resolve_all(Scope& scope, Scope* global) {
  std::vector<Variable*> next;
  std::unordered_map<std::string_view, std::vector<Variable*>> waiting;
  for (auto variable = scope.variables.rbegin(); variable != scope.variables.rend(); ++variable) {
    if (!variable->settled) next.push_back(&*variable);
  }
  while (!next.empty()) {
    Variable& variable = *next.back();
    next.pop_back();
    if (resolve(variable, scope, global)) {
      std::ranges::copy(waiting[variable.name], std::back_inserter(next));
      waiting.erase(variable.name);
    } else if (!variable.failed) {
      waiting[variable.missing].push_back(&variable);
    }
  }
}

// Tries to evaluate an `eval(...)` variable. On failure, records the unknown name in `missing`.
bool Variables::resolve(Variable& variable, Scope& scope, Scope* global) {
  const std::string_view text = inside_eval(eval_text(variable.value));
  const Variable* alone = global == nullptr ? nullptr : global->find(text);
  const Variable* own = scope.find(text);
  const bool own_value = own != nullptr && !own->is_number && eval_text(own->value).empty();
  // An expression that is only the name of a global number uses the global one, even if the stage has a number of the
  // same name.
  if (alone != nullptr && alone->is_number && !own_value) {
    variable.value.data = alone->value.data;
    return variable.settled = variable.is_number = true;
  }
  Scope* const scopes[] = {&scope};
  const auto result = Expression(text).evaluate([&](std::string_view name) { return number_in(scopes, name); });
  if (const auto* number = std::get_if<python::Number>(&result)) {
    variable.value = as_value(*number, variable.value.span);
    return variable.settled = variable.is_number = true;
  }
  const auto& error = std::get<python::ExpressionError>(result);
  if (error.kind == python::ExpressionError::Kind::unknown_variable) {
    variable.missing = error.name;
    return false;
  }
  report(error, variable.value, scope, global);
  variable.failed = true;
  return false;
}

// Formats a cycle as "a -> b -> a". Omits the middle of a long one.
static std::string cycle_text(const std::vector<std::string>& path) {
  constexpr std::size_t kMaxShown = 20;
  if (path.size() <= kMaxShown) {
    return fmt::format("{}", fmt::join(path, " -> "));
  }
  const auto begin = path.begin();
  return fmt::format("{} -> ... -> {}", fmt::join(begin, begin + kMaxShown - 2, " -> "), path.back());
}

static std::set<std::string, std::less<>> names_that_wait(const Scope& scope) {
  std::set<std::string, std::less<>> waiting;
  for (const Variable& variable : scope.variables) {
    if (!variable.settled) {
      waiting.insert(variable.name);
    }
  }
  return waiting;
}

// Reports unknown names where they occur. A variable that only depends on other unresolved variables is part of a
// cycle, or a consequence of an error already reported.
void Variables::report_unsettled(Scope& scope) {
  const auto waiting = names_that_wait(scope);
  std::set<std::string, std::less<>> excused;
  for (const Variable& variable : scope.variables) {
    if (variable.failed || (!variable.settled && report_unknown_name(variable, waiting, scope))) {
      excused.insert(variable.name);
    }
  }
  report_cycles(scope, waiting, std::move(excused));
}

// Reports a name that would be unknown even if all waiting variables were numbers. Returns true if there is one.
bool Variables::report_unknown_name(const Variable& variable, const std::set<std::string, std::less<>>& waiting,
                                    Scope& scope) {
  const std::string_view text = inside_eval(eval_text(variable.value));
  Scope* const scopes[] = {&scope};
  const auto result = Expression(text).evaluate([&](std::string_view name) {
    const auto number = number_in(scopes, name);
    return !number && waiting.contains(name) ? python::Number(1.0) : number;
  });
  const auto* error = std::get_if<python::ExpressionError>(&result);
  if (error == nullptr || error->kind != python::ExpressionError::Kind::unknown_variable) {
    return false;
  }
  report(*error, variable.value, scope, scope.stage.empty() ? nullptr : &global_);
  return true;
}

DIAGNOSTIC(SP902, variable_cycle, error, (Text, Text), "`{}` depends on itself: {}",
           "SparseML evaluates variables until nothing changes, then rejects a recipe with unevaluated variables.",
           "replace one of the expressions with a number")

// Reports each cycle of variables once. `excused` are variables whose failure has already been reported.
void Variables::report_cycles(Scope& scope, const std::set<std::string, std::less<>>& waiting,
                              std::set<std::string, std::less<>> excused) {
  const auto next = [&](const Variable& variable) -> Variable* {
    for (const std::string& name : names_in(inside_eval(eval_text(variable.value)))) {
      if (waiting.contains(name)) return scope.find(name);
    }
    return nullptr;
  };
  std::set<const Variable*> seen;  // variables already visited
  for (Variable& variable : scope.variables) {
    std::vector<std::string> path;
    std::map<const Variable*, std::size_t> places;
    Variable* at = variable.settled ? nullptr : &variable;
    while (at != nullptr && !excused.contains(at->name) && !seen.contains(at) && !places.contains(at)) {
      places.emplace(at, path.size());
      path.push_back(at->name);
      at = next(*at);
    }
    for (const auto& [passed, place] : places) {
      seen.insert(passed);
    }
    if (const auto first = places.find(at); first != places.end()) {
      path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(first->second));
      excused.insert(path.begin(), path.end());
      path.push_back(path.front());
      sink_.report(diag::variable_cycle, at->value.span, path.front(), cycle_text(path));
    }
  }
}

}  // namespace sparsecfg::dialect::sparseml
