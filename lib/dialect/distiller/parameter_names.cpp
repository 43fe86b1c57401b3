#include "dialect/distiller/parameter_names.h"

#include <fmt/core.h>

#include <algorithm>

#include "dialect/distiller/write.h"
#include "dialect/write.h"
#include "ir/matching.h"

namespace sparsecfg::dialect::distiller {

using source::Value;

// --- structures ------------------------------------------------------------------------------------------

bool ParameterNames::fit(const ir::Action& action, const ir::Prune& prune, const std::vector<source::List>& names,
                         ActionStatus& status) const {
  using Kind = ir::Structure::Kind;
  if (prune.structure.kind == Kind::unstructured) {
    return true;
  }
  bool known = true;
  for (const source::List& list : names) {
    for (const Value& each : list) {
      const std::string name = source::python_str(each);
      const auto dimensions = dimensions_of(name);
      known = known && dimensions.has_value();
      const bool fits = dimensions == 4 || (dimensions == 2 && prune.structure.kind == Kind::channel);
      if (dimensions && !fits) {
        drop(status, action,
             fmt::format("Distiller removes {}s only from convolution weights, and `{}` is not one",
                         ir::to_string(prune.structure.kind), name),
             sink_);
        return false;
      }
    }
  }
  if (!known && prune.structure.kind != Kind::channel) {
    dialect::approximate(
        status, action,
        "Distiller stops at weights of other layers than convolutions; pass `--params` with shapes to check "
        "this",
        sink_);
  }
  return true;
}

std::optional<double> ParameterNames::elements_of(const std::string& name) const {
  const model::Shape* shape = model::shape_of(options_.parameters, name);
  const auto elements = shape == nullptr ? std::nullopt : model::elements_of(*shape);
  return elements ? std::optional(static_cast<double>(*elements)) : std::nullopt;
}

// Returns the number of dimensions of a weight. Uses the type of its module if the shape is unknown.
std::optional<std::size_t> ParameterNames::dimensions_of(const std::string& name) const {
  if (const auto* shape = model::shape_of(options_.parameters, name)) {
    return shape->size();
  }
  const model::Module* module = model_.of_weight(name);
  return module == nullptr ? std::nullopt : std::optional(module->type.find("Conv2d") != std::string::npos ? 4U : 2U);
}

// --- names -------------------------------------------------------------------------------------------

// Finds a pattern among full names. `*` means all parameters there.
static const model::Term* find_pattern(const ir::Prune& prune) {
  for (const ir::Target& target : prune.targets) {
    for (const model::Term& term : target.selector.terms) {
      if (term.text == "*" || model::looks_like_pattern(term.text)) return &term;
    }
  }
  return nullptr;
}

std::optional<std::vector<source::List>> ParameterNames::names_of(const ir::Action& action, const ir::Prune& prune,
                                                                  ActionStatus& status) {
  if (listed_ > options_.max_nodes) {
    drop(status, action, too_many_nodes(options_), sink_);
    return std::nullopt;
  }
  std::vector<source::List> out;
  const bool named = std::ranges::all_of(prune.targets, [](const ir::Target& target) {
    return target.selector.excluded.empty() && !target.selector.terms.empty() &&
           std::ranges::all_of(target.selector.terms,
                               [](const model::Term& term) { return term.kind == model::Term::Kind::exact; });
  });
  if (const model::Term* pattern = named ? find_pattern(prune) : nullptr) {
    drop(status, action, fmt::format("`{}` looks like a pattern, but Distiller compares it literally", pattern->text),
         sink_);
    return std::nullopt;
  }
  if (named) {
    for (const ir::Target& target : prune.targets) {
      source::List names;
      const std::string_view ending = target.selector.over == model::Selector::Over::modules ? ".weight" : "";
      for (const model::Term& term : target.selector.terms) add_known(names, term.text + std::string(ending));
      out.push_back(std::move(names));
    }
    return some_of_model(action, std::move(out), status);
  }
  if (prune.targets.front().selector.over == model::Selector::Over::modules) {
    status.kind = ActionStatus::Kind::dropped;
    status.reason = "Distiller requires full names; pass `--modules`";
    dialect::report(status, sink_, diag::model_needed, action.origin.span, action.origin.class_name, status.reason);
    return std::nullopt;
  }
  if (options_.parameters == nullptr) {
    status.kind = ActionStatus::Kind::dropped;
    status.reason = "Distiller requires full names; pass `--params`";
    dialect::report(status, sink_, diag::model_needed, action.origin.span, action.origin.class_name, status.reason);
    return std::nullopt;
  }
  for (const auto& matched : ir::parameters_of_targets(prune, *options_.parameters)) {
    source::List names;
    for (const std::string& name : matched) names.push_back(word(name));
    out.push_back(std::move(names));
  }
  return some_of_model(action, std::move(out), status);
}

void ParameterNames::add_known(source::List& names, const std::string& name) const {
  if (options_.parameters == nullptr || options_.parameters->knows(name)) names.push_back(word(name));
}

std::optional<std::vector<source::List>> ParameterNames::some_of_model(const ir::Action& action,
                                                                       std::vector<source::List> names,
                                                                       ActionStatus& status) {
  for (const source::List& list : names) listed_ += list.size();
  if (std::ranges::all_of(names, &source::List::empty)) {
    drop(status, action, "no selected parameter is in the model passed with `--params`", sink_);
    return std::nullopt;
  }
  return names;
}

}  // namespace sparsecfg::dialect::distiller
