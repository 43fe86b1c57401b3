#include "dialect/sparseml/read/variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/record/types.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/read/fields.h"
#include "doc/construct.h"

namespace sparsecfg::dialect::sparseml {

using source::Span;
using source::Value;

bool is_eval(std::string_view text) { return text.starts_with(kEvalOpening) && text.ends_with(')'); }

std::string_view inside_eval(std::string_view text) {
  return text.substr(kEvalOpening.size(), text.size() - kEvalOpening.size() - 1);
}

std::string_view eval_text(const Value& value) {
  const auto* text = value.get<std::string>();
  return text != nullptr && is_eval(*text) ? std::string_view(*text) : std::string_view();
}

bool holds_eval(const Value& value) {
  const auto* list = value.get<source::List>();
  const auto* map = value.get<source::Map>();
  const auto* text = value.get<std::string>();
  return (text != nullptr && text->find(kEvalOpening) != std::string::npos) ||
         (list != nullptr && std::ranges::any_of(*list, holds_eval)) ||
         (map != nullptr && std::ranges::any_of(*map, holds_eval, &source::Entry::second));
}

static std::optional<python::Number> as_number(const Value& value) {
  if (const auto* flag = value.get<bool>()) return *flag;
  if (const auto* integer = value.get<std::int64_t>()) return *integer;
  if (const auto* real = value.get<double>()) return *real;
  return std::nullopt;
}

Value as_value(const python::Number& number, Span span) {
  return std::visit([&](auto plain) { return Value{plain, span}; }, number);
}

void Scope::add(Variable variable) {
  Variable& added = variables.emplace_back(std::move(variable));
  by_name.emplace(added.name, &added);
  if (!std::ranges::all_of(added.name, base::is_name_letter)) odd_names.push_back(&added);
}

Variable* Scope::find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::optional<python::Number> number_in(std::span<Scope* const> scopes, std::string_view name) {
  for (const Scope* scope : scopes) {
    if (const Variable* found = scope->find(name); found != nullptr && found->is_number) {
      return as_number(found->value);
    }
  }
  return std::nullopt;
}

Variables::Variables(const source::SourceFile& file, const doc::Document& document, const Layout& layout,
                     const Overrides& overrides, bool evaluated, diag::Sink& sink)
    : file_(file),
      sink_(sink),
      evaluated_(evaluated && !layout.stages_dropped),
      stop_reported_(layout.drop_reported),
      global_(read_scope(document, "", layout.sections)) {
  for (const Stage& stage : layout.stages) {
    stages_.push_back(read_scope(document, stage.name, stage.sections));
    stages_.back().key = stage.key;
  }
  for (const doc::Node& node : document.nodes) {
    if (!node.anchor_span.empty()) {
      anchored_.push_back(node.span.begin);
    }
  }
  std::ranges::sort(anchored_);
  apply(overrides);
  if (!evaluated) {
    return;
  }
  resolve(global_, nullptr);
  for (Scope& stage : stages_) {
    resolve(stage, &global_);
  }
}

Scope Variables::read_scope(const doc::Document& document, const std::string& stage,
                            const std::vector<Section>& sections) {
  Scope scope{stage, {}};
  for (const Section& section : sections) {
    const doc::Node& node = document[document.resolve(section.value)];
    Variable variable{section.name, document[section.key].span, {}};
    variable.is_group = is_lone_modifier(file_, node) ||
                        (node.kind == doc::Kind::sequence && section.name.find("modifiers") != std::string::npos);
    if (!variable.is_group) {
      variable.value = doc::construct(document, section.value, sink_);
      variable.is_number = as_number(variable.value).has_value();
      if (section.name != kMetadataKey) {
        check_number_spelling(file_, variable.value, true, sink_);
      }
    }
    variable.used = holds_modifiers(file_, document, section.value);  // reported elsewhere as a list of modifiers
    scope.add(std::move(variable));
  }
  return scope;
}

// A list of mappings cannot be overridden, because the loader treats it as a group of modifiers.
static bool can_override(const Variable& variable) {
  const auto* list = variable.value.get<source::List>();
  return !variable.is_group && (list == nullptr || !std::ranges::all_of(*list, [](const Value& item) {
                                  return item.get<source::Map>() != nullptr;
                                }));
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
      report_override(name, known);
    }
  }
}

static bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool before = at > 0 && base::is_name_letter(text[at - 1]);
    if (!before && (at + name.size() >= text.size() || !base::is_name_letter(text[at + name.size()]))) {
      return true;
    }
  }
  return false;
}

void use(std::string_view text, Scope& scope) {
  if (text.find(kEvalOpening) == std::string_view::npos) {
    return;
  }
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && base::is_name_letter(text[end])) ++end;
    if (Variable* named = end > at ? scope.find(text.substr(at, end - at)) : nullptr) named->used = true;
    at = end + 1;
  }
  constexpr std::size_t kMaxOddNames = 1000;  // a recipe with more of them does not intend them as variables
  for (std::size_t at = 0; at < std::min(scope.odd_names.size(), kMaxOddNames); ++at) {
    Variable& odd = *scope.odd_names[at];
    odd.used = odd.used || (!odd.name.empty() && mentions(text, odd.name));
  }
}

// Returns the scopes visible to a modifier, innermost first.
std::vector<Scope*> Variables::scopes_of(const std::string& stage) {
  const auto inner = std::ranges::find(stages_, stage, &Scope::stage);
  if (stage.empty() || inner == stages_.end()) {
    return {&global_};
  }
  return {&*inner, &global_};
}

bool Variables::evaluate(const std::string& stage, Value& value) {
  if (!evaluated_) {
    return true;
  }
  return std::visit(base::Overloaded{
                        [&](const std::string& text) {
                          std::ranges::for_each(scopes_of(stage), [&](Scope* scope) { use(text, *scope); });
                          return !is_eval(text) || evaluate_text(stage, value);
                        },
                        [&](source::List& list) {
                          return std::ranges::count_if(list, [&](Value& item) { return !evaluate(stage, item); }) == 0;
                        },
                        [&](source::Map& map) {
                          return std::ranges::count_if(
                                     map, [&](auto& entry) { return !evaluate(stage, entry.second); }) == 0;
                        },
                        [](const auto&) { return true; },
                    },
                    value.data);
}

bool Variables::evaluate_text(const std::string& stage, Value& value) {
  const std::vector<Scope*> scopes = scopes_of(stage);
  const std::string text(inside_eval(*value.get<std::string>()));
  const Expression expression(text);
  const std::vector<std::string> names = expression.names();
  for (const Scope* scope : scopes) {
    if (const Variable* alone = scope->find(text); alone != nullptr && !alone->is_number) {
      value.data = alone->value.data;
      return alone->settled;
    }
    for (const std::string& name : names) {
      if (const Variable* named = scope->find(name); named != nullptr && !named->settled) {
        return false;
      }
    }
  }
  const auto result = expression.evaluate([&](std::string_view name) { return number_in(scopes, name); });
  if (const auto* number = std::get_if<python::Number>(&result)) {
    value = as_value(*number, value.span);
    return true;
  }
  report(std::get<python::ExpressionError>(result), value, *scopes.front(), scopes.size() == 1 ? nullptr : &global_);
  return false;
}

std::vector<ir::Variable> Variables::list() const {
  std::vector<ir::Variable> out;
  const auto add = [&](const Scope& scope) {
    for (const Variable& variable : scope.variables) {
      if (!variable.is_group && variable.name != kMetadataKey) {
        out.push_back({variable.name, scope.stage, variable.key, variable.value});
      }
    }
  };
  add(global_);
  std::ranges::for_each(stages_, add);
  return out;
}

DIAGNOSTIC(SP118, partial_metadata, error, (Text), "stage `{}` lacks `__metadata__`, but another stage has it",
           "Either every stage of a recipe has `__metadata__` or none does. SparseML rejects a mixture.",
           "add `__metadata__` to every stage, or delete it from all of them")

source::Value Variables::metadata() const {
  const auto in = [](const Scope& scope) {
    const auto found = std::ranges::find(scope.variables, kMetadataKey, &Variable::name);
    return found == scope.variables.end() ? nullptr : &found->value;
  };
  if (stages_.empty() || !evaluated_) {
    const Value* found = in(global_);
    return found == nullptr ? Value{} : *found;
  }
  source::Map by_stage;
  for (const Scope& stage : stages_) {
    if (const Value* value = in(stage)) {
      by_stage.emplace_back(Value{stage.stage, stage.variables.front().key}, *value);
    }
  }
  if (!by_stage.empty() && by_stage.size() != stages_.size()) {
    const auto bare = std::ranges::find_if(stages_, [&](const Scope& stage) { return in(stage) == nullptr; });
    sink_.report(diag::partial_metadata, bare->key, bare->stage)
        .with_help("add `__metadata__` to every stage, or delete it");
  }
  std::erase_if(by_stage, [](const source::Entry& entry) { return entry.second.is_null(); });
  return by_stage.empty() ? Value{} : Value{std::move(by_stage), {}};
}

}  // namespace sparsecfg::dialect::sparseml
