#include "dialect/sparseml/variables.h"

#include <algorithm>
#include <set>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "doc/construct.h"

namespace sparsecfg::dialect::sparseml {

using source::Span;
using source::Value;

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::string_view kOpening = "eval(";

bool is_eval(std::string_view text) { return text.starts_with(kOpening) && text.ends_with(')'); }

// SparseML cuts five characters from the front and one from the back, so `eval(` followed at once
// by its own `)` is all there need be.
static std::string_view inside(std::string_view text) { return text.substr(kOpening.size(), text.size() - kOpening.size() - 1); }

static std::string_view eval_text(const Value& value) {
  const auto* text = value.get<std::string>();
  return text != nullptr && is_eval(*text) ? std::string_view(*text) : std::string_view();
}

static std::optional<Number> as_number(const Value& value) {
  if (const auto* flag = value.get<bool>()) return *flag;
  if (const auto* integer = value.get<std::int64_t>()) return *integer;
  if (const auto* real = value.get<double>()) return *real;
  return std::nullopt;
}

static Value as_value(const Number& number, Span span) {
  return std::visit([&](auto plain) { return Value{plain, span}; }, number);
}

Variable* Scope::find(std::string_view name) {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  return found == variables.end() ? nullptr : &*found;
}

Numbers Scope::numbers() const {
  Numbers out;
  for (const Variable& variable : variables) {
    if (variable.is_number) {
      out.emplace(variable.name, *as_number(variable.value));
    }
  }
  return out;
}

Variables::Variables(const source::SourceFile& file, const doc::Document& document, const Layout& layout,
                     const Overrides& overrides, diag::Sink& sink)
    : file_(file), sink_(sink), evaluated_(!layout.stages_dropped), global_(read_scope(document, "", layout.sections)) {
  for (const Stage& stage : layout.stages) {
    stages_.push_back(read_scope(document, stage.name, stage.sections));
  }
  for (const doc::Node& node : document.nodes) {
    if (!node.anchor_span.empty()) {
      anchored_.push_back(node.span.begin);
    }
  }
  apply(overrides);
  resolve(global_, nullptr);
  for (Scope& stage : stages_) {
    resolve(stage, &global_);
  }
}

Scope Variables::read_scope(const doc::Document& document, const std::string& stage, const std::vector<Section>& sections) {
  Scope scope{stage, {}};
  for (const Section& section : sections) {
    const bool is_list = document[document.resolve(section.value)].kind == doc::Kind::sequence;
    Variable variable{section.name, document[section.key].span, {}};
    variable.is_group = is_list && section.name.find("modifiers") != std::string::npos;
    if (!variable.is_group) {
      variable.value = doc::construct(document, section.value, sink_);
      variable.is_number = as_number(variable.value).has_value();
    }
    scope.variables.push_back(std::move(variable));
  }
  return scope;
}

// A list of mappings, as a group of modifiers is one for the loader, can't be overridden.
static bool can_override(const Variable& variable) {
  const auto* list = variable.value.get<source::List>();
  return !variable.is_group &&
         (list == nullptr || !std::ranges::all_of(*list, [](const Value& item) { return item.get<source::Map>() != nullptr; }));
}

void Variables::apply(const Overrides& overrides) {
  for (const auto& override : overrides) {
    const std::string& name = override.first;
    std::vector<std::string_view> known;
    bool found = false;
    const auto set_in = [&](Scope& scope) {
      for (Variable& variable : scope.variables) {
        if (can_override(variable)) {
          known.push_back(variable.name);
        }
        if (can_override(variable) && variable.name == name) {
          variable.value.data = override.second.data;
          variable.is_number = as_number(variable.value).has_value();
          variable.used = found = true;
        }
      }
    };
    set_in(global_);
    std::ranges::for_each(stages_, set_in);
    if (!found) {
      const auto guess = base::nearest(name, known);
      sink_.report(diag::unknown_override, {}, base::printable(name))
          .with_help(guess ? fmt::format("did you mean `{}`?", base::printable(*guess)) : "");
    }
  }
}

void Variables::resolve(Scope& scope, Scope* global) {
  for (Variable& variable : scope.variables) {
    const std::string_view text = eval_text(variable.value);
    variable.settled = text.empty();
    for (const std::string& name : names_in(text.empty() ? text : inside(text))) {
      for (Scope* level : {&scope, global}) {
        if (Variable* named = level == nullptr ? nullptr : level->find(name)) {
          named->used = true;
        }
      }
    }
  }
  bool progress = true;
  while (progress) {
    progress = false;
    for (Variable& variable : scope.variables) {
      progress |= !variable.settled && settle(variable, scope, global);
    }
  }
  report_unsettled(scope);
}

// One try at a variable that is an `eval(...)`; what is still unknown is left for the next pass.
bool Variables::settle(Variable& variable, Scope& scope, Scope* global) {
  const std::string_view text = inside(eval_text(variable.value));
  const Variable* alone = global == nullptr ? nullptr : global->find(text);
  if (alone != nullptr && alone->is_number && scope.find(text) == nullptr) {
    variable.value.data = alone->value.data;
    return variable.settled = variable.is_number = true;
  }
  const auto result = sparseml::evaluate(text, scope.numbers());
  if (const auto* number = std::get_if<Number>(&result)) {
    variable.value = as_value(*number, variable.value.span);
    return variable.settled = variable.is_number = true;
  }
  const auto& error = std::get<ExpressionError>(result);
  if (error.kind == ExpressionError::Kind::unknown_variable) {
    return false;
  }
  report(error, variable.value, scope, global);
  variable.value = {{}, variable.value.span};
  return variable.settled = true;
}

// What needs an unknown name is reported where the name stands; what only needs other unsettled
// variables is a cycle, or follows from what is reported already.
void Variables::report_unsettled(Scope& scope) {
  std::set<std::string, std::less<>> waiting, excused;
  for (const Variable& variable : scope.variables) {
    if (!variable.settled) {
      waiting.insert(variable.name);
    }
  }
  const Numbers numbers = scope.numbers();
  for (Variable& variable : scope.variables) {
    if (variable.settled) {
      continue;
    }
    Numbers optimistic = numbers;
    for (const std::string& name : waiting) {
      optimistic.emplace(name, 1.0);
    }
    const auto result = sparseml::evaluate(inside(eval_text(variable.value)), optimistic);
    const auto* error = std::get_if<ExpressionError>(&result);
    if (error != nullptr && error->kind == ExpressionError::Kind::unknown_variable) {
      report(*error, variable.value, scope, scope.stage.empty() ? nullptr : &global_);
      excused.insert(variable.name);
    }
  }
  const auto next = [&](const Variable& variable) -> Variable* {
    for (const std::string& name : names_in(inside(eval_text(variable.value)))) {
      if (waiting.contains(name)) return scope.find(name);
    }
    return nullptr;
  };
  for (Variable& variable : scope.variables) {
    std::vector<std::string> path;
    Variable* at = variable.settled ? nullptr : &variable;
    while (at != nullptr && !excused.contains(at->name) && std::ranges::find(path, at->name) == path.end()) {
      path.push_back(at->name);
      at = next(*at);
    }
    if (at != nullptr && !excused.contains(at->name)) {
      path.erase(path.begin(), std::ranges::find(path, at->name));
      excused.insert(path.begin(), path.end());
      path.push_back(path.front());
      sink_.report(diag::variable_cycle, at->value.span, fmt::format("{}", fmt::join(path, " -> ")));
    }
  }
}

bool Variables::evaluate(const std::string& stage, Value& value) {
  if (!evaluated_) {
    return true;
  }
  return std::visit(base::Overloaded{
                        [&](const std::string& text) { return !is_eval(text) || evaluate_text(stage, value); },
                        [&](source::List& list) {
                          return std::ranges::count_if(list, [&](Value& item) { return !evaluate(stage, item); }) == 0;
                        },
                        [&](source::Map& map) {
                          return std::ranges::count_if(map, [&](auto& entry) { return !evaluate(stage, entry.second); }) == 0;
                        },
                        [](const auto&) { return true; },
                    },
                    value.data);
}

bool Variables::evaluate_text(const std::string& stage, Value& value) {
  const auto found = std::ranges::find(stages_, stage, &Scope::stage);
  Scope* inner = stage.empty() || found == stages_.end() ? nullptr : &*found;
  const std::string text(inside(*value.get<std::string>()));
  Numbers numbers;
  for (Scope* scope : {inner, &global_}) {
    if (scope == nullptr) {
      continue;
    }
    if (Variable* alone = scope->find(text); alone != nullptr && !alone->is_number) {
      alone->used = true;
      value.data = alone->value.data;
      return alone->settled;
    }
    numbers.merge(scope->numbers());
    for (const std::string& name : names_in(text)) {
      if (Variable* named = scope->find(name)) {
        named->used = true;
        if (!named->settled) return false;
      }
    }
  }
  const auto result = sparseml::evaluate(text, numbers);
  if (const auto* number = std::get_if<Number>(&result)) {
    value = as_value(*number, value.span);
    return true;
  }
  report(std::get<ExpressionError>(result), value, inner == nullptr ? global_ : *inner, inner == nullptr ? nullptr : &global_);
  return false;
}

// The place of an error inside the expression, where the text stands in the file as it was read.
Span Variables::place_of(const Value& value, const ExpressionError& error) const {
  const auto* text = value.get<std::string>();
  if (text == nullptr || value.span.empty()) {
    return value.span;
  }
  const char first = file_.text()[value.span.begin];
  const std::uint32_t begin = value.span.begin + (first == '"' || first == '\'' ? 1 : 0);
  const auto offset = static_cast<std::uint32_t>(kOpening.size()) + error.offset;
  if (file_.text().substr(begin, text->size()) != *text || offset >= text->size()) {
    return value.span;
  }
  const auto width = static_cast<std::uint32_t>(std::max<std::size_t>(1, error.name.size()));
  return {begin + offset, begin + offset + width};
}

void Variables::report(const ExpressionError& error, const Value& value, Scope& scope, Scope* outer) {
  const Span place = place_of(value, error);
  switch (error.kind) {
    case ExpressionError::Kind::unknown_variable:
      report_name(error, place, scope, outer);
      break;
    case ExpressionError::Kind::division_by_zero:
      sink_.report(diag::eval_division_by_zero, place, base::printable(*value.get<std::string>()));
      break;
    case ExpressionError::Kind::too_large:
      sink_.report(diag::eval_too_large, place, error.message);
      break;
    case ExpressionError::Kind::syntax:
    case ExpressionError::Kind::unsupported:
    case ExpressionError::Kind::type_error:
      sink_.report(diag::eval_unsupported, place, error.message);
      break;
  }
}

void Variables::report_name(const ExpressionError& error, Span place, Scope& scope, Scope* outer) {
  const std::string shown = base::printable(error.name);
  const Variable* named = scope.find(error.name);
  const auto* text = named == nullptr ? nullptr : named->value.get<std::string>();
  if (text != nullptr && base::python_float(*text)) {
    sink_.report(diag::variable_is_string_number, place, shown, base::printable(*text))
        .with_help("write a point, and a sign in the exponent: `1.0e-4`")
        .with_label(named->value.span, "a text in YAML 1.1");
    return;
  }
  auto& report = sink_.report(diag::undefined_variable, place, shown);
  if (named != nullptr) {
    report.with_help(fmt::format("`{}` is {}, which can only be used alone, as `eval({})` without blanks", shown, source::describe(named->value), shown));
  } else if (outer != nullptr && outer->find(error.name) != nullptr) {
    report.with_help(fmt::format("a variable of a stage can use the global `{0}` only alone, as `eval({0})`", shown));
  } else {
    std::vector<std::string_view> known;
    for (const Variable& variable : scope.variables) {
      if (!variable.is_group) known.push_back(variable.name);
    }
    const auto guess = base::nearest(error.name, known);
    report.with_help(guess ? fmt::format("did you mean `{}`?", base::printable(*guess)) : "set it as a key of the recipe");
  }
}

void Variables::report_habits() {
  constexpr std::string_view kGroup[] = {"modifiers"};
  for (const Variable& variable : global_.variables) {
      const bool shared = std::ranges::any_of(anchored_, [&](std::uint32_t at) { return variable.value.span.begin <= at && at <= variable.value.span.end; });
      if (variable.is_group || variable.used || shared || variable.name == "version" || variable.name == kMetadata) {
        continue;
      }
      if (variable.name.find("modifiers") == std::string::npos && base::nearest(variable.name, kGroup)) {
        sink_.report(diag::unknown_section, variable.key, base::printable(variable.name)).with_help("did you mean `modifiers`?");
      } else if (!variable.value.get<source::Map>() && variable.name.find("modifiers") == std::string::npos) {
        sink_.report(diag::unused_variable, variable.key, base::printable(variable.name));
      }
  }
  for (Scope& stage : stages_) {
    for (const Variable& variable : stage.variables) {
      const Variable* hidden = global_.find(variable.name);
      if (hidden != nullptr && !variable.is_group && variable.name != kMetadata) {
        sink_.report(diag::variable_shadowed_by_stage, variable.key, base::printable(variable.name), base::printable(stage.stage))
            .with_label(hidden->key, "hidden in the stage");
      }
    }
  }
}

std::vector<ir::Variable> Variables::list() const {
  std::vector<ir::Variable> out;
  const auto add = [&](const Scope& scope) {
    for (const Variable& variable : scope.variables) {
      if (!variable.is_group && variable.name != kMetadata) {
        out.push_back({variable.name, scope.stage, variable.key, variable.value});
      }
    }
  };
  add(global_);
  std::ranges::for_each(stages_, add);
  return out;
}

source::Value Variables::metadata() const {
  const auto in = [](const Scope& scope) {
    const auto found = std::ranges::find(scope.variables, kMetadata, &Variable::name);
    return found == scope.variables.end() ? Value{} : found->value;
  };
  if (stages_.empty() || !evaluated_) {
    return in(global_);
  }
  source::Map by_stage;
  for (const Scope& stage : stages_) {
    if (Value value = in(stage); !value.is_null()) {
      by_stage.emplace_back(Value{stage.stage, stage.variables.front().key}, std::move(value));
    }
  }
  if (!by_stage.empty() && by_stage.size() != stages_.size()) {
    const auto bare = std::ranges::find_if(stages_, [&](const Scope& stage) { return in(stage).is_null(); });
    sink_.report(diag::partial_metadata, bare->variables.empty() ? Span{} : bare->variables.front().key, base::printable(bare->stage));
  }
  return by_stage.empty() ? Value{} : Value{std::move(by_stage), {}};
}

}  // namespace sparsecfg::dialect::sparseml
