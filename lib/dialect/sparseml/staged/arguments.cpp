#include "dialect/sparseml/staged/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/overloaded.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "python/evaluator.h"

namespace sparsecfg::dialect::sparseml::staged {

using source::Span;
using source::Value;
using ErrorKind = python::ExpressionError::Kind;

constexpr std::string_view kOpening = "eval(";
constexpr std::string_view kArrow = " -> ";
constexpr std::string_view kMetadata = "metadata";

// Approximates the Python recursion limit, and a string length that no recipe reaches.
constexpr int kMaxDepth = 900;
constexpr std::size_t kMaxLength = 65536;

// Returns the first `eval(...)` without nested parentheses, or an empty string.
static std::string_view innermost(std::string_view text) {
  for (std::size_t at = text.find(kOpening); at != std::string_view::npos; at = text.find(kOpening, at + 1)) {
    const std::size_t next = text.find_first_of("()", at + kOpening.size());
    if (next != std::string_view::npos && text[next] == ')') {
      return text.substr(at, next + 1 - at);
    }
  }
  return {};
}

static std::string replace_all(std::string_view text, std::string_view what, std::string_view with) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t found = text.find(what); found != std::string_view::npos && out.size() <= kMaxLength;
       found = text.find(what, at)) {
    out.append(text.substr(at, found - at)).append(with);
    at = found + what.size();
  }
  return out.append(text.substr(at));
}

Arguments::Arguments(std::vector<Argument> arguments, const std::vector<std::pair<std::string, Value>>& overrides,
                     diag::Sink& sink)
    : sink_(sink), arguments_(std::move(arguments)) {
  for (std::size_t at = 0; at < arguments_.size(); ++at) {
    places_.emplace(arguments_[at].name, at);
  }
  for (const auto& [name, value] : overrides) {
    const auto [place, is_new] = places_.emplace(name, arguments_.size());
    if (is_new) {
      arguments_.push_back({name, {}, {}});
    }
    arguments_[place->second].value.data = value.data;
  }
  // In document order: a variable sees the values of the variables above it, and the unevaluated strings below it.
  for (Argument& argument : arguments_) {
    if (argument.value.get<std::string>() != nullptr && !evaluate_text(argument.value)) {
      failed_.insert(argument.name);
    }
  }
}

const Value* Arguments::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &arguments_[found->second].value;
}

// Reduces a sequence of evaluated expressions to the last cycle. If the string grows in each iteration, its expressions
// repeat, but the whole string never does.
static void keep_one_round(std::vector<std::string>& path) {
  if (path.empty()) {
    return;
  }
  const auto before = std::find(path.rbegin() + 1, path.rend(), path.back());
  path.erase(path.begin(), before == path.rend() ? path.end() - 1 : before.base() - 1);
}

// Evaluates until the string has no more `eval(...)`, then converts it to a float if it is a number.
std::variant<Value, python::ExpressionError> Arguments::run(const std::string& text) const {
  std::string now = text;
  std::set<std::string> seen;
  std::vector<std::string> path;
  for (int depth = 0; depth < kMaxDepth && now.size() <= kMaxLength; ++depth) {
    if (now.find(kOpening) == std::string::npos) {
      const auto number = base::python_float(now);
      return number ? Value{*number, {}} : Value{now, {}};
    }
    const std::string call(innermost(now));
    if (call.empty()) {
      return python::ExpressionError{
          ErrorKind::syntax, "`eval(...)` contains parentheses, so SparseML cannot find its end", 0, {}};
    }
    const std::string inside = call.substr(kOpening.size(), call.size() - kOpening.size() - 1);
    path.push_back(inside);
    if (!seen.insert(now).second) {
      break;
    }
    const auto result = python::evaluate(inside, [this](std::string_view name) { return find(name); });
    if (const auto* error = std::get_if<python::ExpressionError>(&result)) {
      return *error;
    }
    now = replace_all(now, call, source::python_str(std::get<Value>(result)));
  }
  keep_one_round(path);
  return python::ExpressionError{ErrorKind::too_large, fmt::format("{}", fmt::join(path, kArrow)), 0,
                                 std::string(kOpening)};
}

// Returns true if the expression uses a variable whose error has already been reported.
bool Arguments::follows_from_failure(std::string_view text) const {
  const std::string_view call = innermost(text);
  if (failed_.empty() || call.empty()) {
    return false;
  }
  const std::vector<std::string> names = names_in(call.substr(kOpening.size(), call.size() - kOpening.size() - 1));
  return std::ranges::any_of(names, [&](const std::string& name) { return failed_.contains(name); });
}

bool Arguments::evaluate_text(Value& value) {
  const std::string text = *value.get<std::string>();
  if (text.find(kOpening) == std::string::npos) {
    return true;
  }
  if (gave_up_) {
    return false;
  }
  auto result = run(text);
  if (const auto* error = std::get_if<python::ExpressionError>(&result)) {
    if (!follows_from_failure(text)) {
      report(*error, value);
    }
    return false;
  }
  value.data = std::move(std::get<Value>(result).data);
  return true;
}

bool Arguments::evaluate(Value& value) {
  return std::visit(base::Overloaded{
                        [&](const std::string&) { return evaluate_text(value); },
                        [&](source::List& list) {
                          return std::ranges::count_if(list, [&](Value& item) { return !evaluate(item); }) == 0;
                        },
                        [&](source::Map& map) {
                          return std::ranges::count_if(
                                     map, [&](source::Entry& entry) { return !evaluate(entry.second); }) == 0;
                        },
                        [](const auto&) { return true; },
                    },
                    value.data);
}

DIAGNOSTIC(SP911, eval_too_large, error, (Text), "{}",
           "The result does not fit into 64 bits, or Python rejects it. No schedule needs a number of this size.",
           "write a smaller number")

DIAGNOSTIC(SP912, eval_not_evaluated, error, (Text), "`eval(...)` is not evaluated here: {}",
           "A value is evaluated only if it begins with `eval(` and ends with `)`. Any other string stays a string. "
           "SparseML does not evaluate a recipe that mixes stages with modifiers at the top level.",
           "write only the expression, from `eval(` to `)`")

DIAGNOSTIC(SP913, python_eval, error, (Text), "{}",
           "In recipes with stages, Python evaluates `eval(...)` anywhere in a string, innermost first. The "
           "expression cannot contain parentheses, so it cannot call functions. The result replaces the expression as "
           "text, and a string that is a number becomes a float. A variable that is not yet evaluated is used as text.",
           "use only numbers, variables and operators")

void Arguments::report(const python::ExpressionError& error, const Value& value) {
  const bool cycle = error.kind == ErrorKind::too_large && error.name == kOpening;
  if (cycle) {
    gave_up_ = true;
    const std::string path = error.message;
    sink_.report(diag::variable_cycle, value.span, path.substr(0, path.find(kArrow)), path);
    return;
  }
  switch (error.kind) {
    case ErrorKind::unknown_variable: report_name(error, value.span); break;
    case ErrorKind::division_by_zero:
      sink_.report(diag::eval_division_by_zero, value.span, *value.get<std::string>());
      break;
    case ErrorKind::too_large: sink_.report(diag::eval_too_large, value.span, error.message); break;
    case ErrorKind::unsupported:
      sink_.report(diag::eval_not_evaluated, value.span, error.message).with_severity(diag::Severity::warning);
      break;
    case ErrorKind::syntax:
      sink_.report(diag::python_eval, value.span, error.message)
          .with_help("use only arithmetic, names and the constants of `math`; function calls are not supported");
      break;
    case ErrorKind::type_error:
      sink_.report(diag::python_eval, value.span, error.message)
          .with_help(error.message.find(kOpening) == std::string::npos
                         ? ""
                         : "move the variable below the variables that it uses");
      break;
  }
}

void Arguments::report_name(const python::ExpressionError& error, Span place) {
  std::vector<std::string_view> known;
  for (const Argument& argument : arguments_) {
    known.push_back(argument.name);
  }
  const Value* nested = find("args");
  const auto guess = base::nearest(error.name, known);
  auto& report = sink_.report(diag::undefined_variable, place, error.name);
  if (nested != nullptr && nested->find(error.name) != nullptr) {
    report.with_help("move it from `args` to the top level of the recipe");
  } else {
    report.with_help(guess ? fmt::format("did you mean `{}` instead of `{}`?", *guess, error.name)
                           : "define it as a key of the recipe");
  }
}

std::vector<ir::Variable> Arguments::list() const {
  std::vector<ir::Variable> out;
  for (const Argument& argument : arguments_) {
    if (argument.name != kMetadata) {
      out.push_back({argument.name, "", argument.key, argument.value});
    }
  }
  return out;
}

Value Arguments::metadata() const {
  const Value* found = find(kMetadata);
  return found == nullptr ? Value{} : *found;
}

}  // namespace sparsecfg::dialect::sparseml::staged
