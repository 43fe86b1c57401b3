#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"
#include "ir/matching.h"
#include "model/module_index.h"

// Checks of modifiers against the model layers given by --params and --modules (docs/semantics/sparseml.md#c4, #d1).
namespace sparsecfg::dialect::sparseml {

DIAGNOSTIC(SP423, mask_group_unselected, error, (Text), "`{}` is in a mask group but is not selected by `params`",
           "`param_groups` lists parameters that get the same mask. SparseML stops if one of them is not selected by "
           "`params`.",
           "remove it from `param_groups`, or select it with `params`")

namespace {

// Checks one action against the known parameters and modules of the model.
class ModelCheck {
 public:
  ModelCheck(const ir::Action& action, const ReadOptions& options, diag::Sink& sink)
      : action_(action), modules_(options.modules.get()), parameters_(options.parameters), sink_(sink) {}

  void check(const Run& run) const {
    if (modules_ != nullptr) {
      check_layer_names();
      check_submodules();
      if (run.reaches(action_.cadence.start.value)) check_quantized();
    }
    if (parameters_ == nullptr) {
      return;
    }
    if (const auto* prune = std::get_if<ir::Prune>(&action_.effect)) {
      check_mask_groups(*prune);
    }
    if (const auto* set = std::get_if<ir::SetParameter>(&action_.effect)) {
      check_value(*set);
    }
    const auto* other = std::get_if<ir::Opaque>(&action_.effect);
    const bool powers = other != nullptr && other->selector && action_.origin.class_name == "PowerpropagationModifier";
    if (powers && parameters_->has_shapes() && run.reaches(action_.cadence.start.value)) {
      check_powers(*other->selector);
    }
  }

 private:
  [[nodiscard]] const model::Module* module_of(std::string_view name) const {
    if (modules_ == nullptr) return nullptr;
    if (!index_) index_.emplace(*modules_);
    return index_->find(name);
  }

  void check_module(source::Span span, const std::string& name, const std::vector<std::string>& listed = {}) const {
    if (module_of(name) != nullptr) return;
    auto& report = sink_.report(diag::unknown_module, span, name, modules_->size());
    report.with_help("write the full name of a module, or remove the name from the list");
    const std::vector<std::string> others = modules_beside(name, listed);
    constexpr std::size_t kMost = 4;
    if (others.empty() || others.size() > kMost) return;
    report.with_help(fmt::format("write `{}`, {} of this model that the list leaves out", fmt::join(others, "` or `"),
                                 others.size() == 1 ? "the module" : "modules"));
    if (others.size() == 1) report.with_fix(diag::Fix::unsafe().content(span, others.front()));
  }

  // Returns the modules with the same parent as a name, without those that a list names or from which it names parts.
  [[nodiscard]] std::vector<std::string> modules_beside(const std::string& name,
                                                        const std::vector<std::string>& listed) const {
    const std::string parent = name.substr(0, name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1);
    std::vector<std::string> out;
    for (const model::Module& module : *modules_) {
      const bool beside = module.name.starts_with(parent) && module.name.size() > parent.size() &&
                          module.name.find('.', parent.size()) == std::string::npos;
      const auto covers = [&](const std::string& each) {
        return each == module.name || each.starts_with(module.name + ".");
      };
      if (beside && std::ranges::none_of(listed, covers)) out.push_back(module.name);
    }
    return out;
  }

  void check_layer_names() const {
    for (const model::Selector* selector : ir::selectors_of(action_.effect)) {
      if (selector->over != model::Selector::Over::layers) continue;
      for (const model::Term& term : selector->terms) {
        if (term.kind == model::Term::Kind::exact) check_module(term.span, term.text);
      }
    }
  }

  void check_submodules() const {
    const auto* field = action_.origin.find("submodules");
    const auto* list = field == nullptr ? nullptr : field->value.get<source::List>();
    std::vector<std::string> listed;
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
      if (const auto* name = (*list)[at].get<std::string>()) listed.push_back(*name);
    }
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
      if (const auto* name = (*list)[at].get<std::string>()) check_module((*list)[at].span, *name, listed);
    }
  }

  // An entry selects modules by the start of their names or by their class. Each must select one, unless not strict.
  // check_quantized_names() reports unknown names, so only classes are checked here.
  void check_entry(const source::Value& entry) const {
    const auto* text = entry.get<std::string>();
    const auto is_meant = [&](const model::Module& module) {
      std::string_view name = module.name;
      name.remove_prefix(name.starts_with("module.") ? std::string_view("module.").size() : 0);
      return name.starts_with(*text) || module.type == *text;
    };
    if (text != nullptr && model::looks_like_type(*text) && std::ranges::none_of(*modules_, is_meant)) {
      sink_.report(diag::unknown_module, entry.span, *text, modules_->size())
          .with_help("write a module class of the model, or set `strict: false`");
    }
  }

  // The older class, which has `submodules`, has no such check.
  void check_quantized() const {
    const auto* strict = action_.origin.find("strict");
    const bool asks = strict == nullptr || !counts_as_empty(strict->value);
    if (!std::holds_alternative<ir::Quantize>(action_.effect) || !asks) return;
    const auto* ignore = action_.origin.find("ignore");
    if (const auto* list = ignore == nullptr ? nullptr : ignore->value.get<source::List>()) {
      for (const source::Value& entry : *list) check_entry(entry);
    }
    const auto* overrides = action_.origin.find("scheme_overrides");
    if (const auto* map = overrides == nullptr ? nullptr : overrides->value.get<source::Map>()) {
      for (const auto& [name, scheme] : *map) check_entry(name);
    }
  }

  // Mask groups may only contain parameters that the pruner selects.
  void check_mask_groups(const ir::Prune& prune) const {
    std::vector<std::string> selected;
    for (const auto& part : ir::parameters_of_targets(prune, *parameters_)) {
      selected.insert(selected.end(), part.begin(), part.end());
    }
    for (const ir::MaskGroup& group : prune.mask_groups) {
      for (const model::Term& term : group.selector.terms) {
        if (std::ranges::find(selected, term.text) == selected.end()) {
          sink_.report(diag::mask_group_unselected, term.span, term.text);
        }
      }
    }
  }

  // The value must have the same shape as the parameter.
  void check_value(const ir::SetParameter& set) const {
    const auto lengths = tensor_lengths(set.to);
    const std::vector<bool> selected = model::matched_names(set.selector, *parameters_);
    for (std::size_t at = 0; lengths && at < selected.size(); ++at) {
      const model::Shape* shape = selected[at] ? parameters_->shape(at) : nullptr;
      if (shape == nullptr || std::ranges::equal(*shape, *lengths)) continue;
      sink_
          .report(diag::wrong_type, set.to.span, set.from ? "final_val" : "val",
                  fmt::format("of the shape {} of `{}`", model::to_text(*shape), (*parameters_)[at]),
                  source::describe(set.to))
          .with_help("write one value per element, or remove the parameter from `params`");
      return;
    }
  }

  // Only linear layers and 2D convolutions support the reparametrization. If the layer class is unknown, the weight
  // shape decides.
  [[nodiscard]] bool has_powers(const std::string& parameter) const {
    const std::string layer = parameter.substr(0, parameter.find_last_of('.') + 1);
    if (const auto* module = layer.empty() ? nullptr : module_of(std::string_view(layer).substr(0, layer.size() - 1))) {
      return module->type == "Linear" || module->type == "Conv2d";
    }
    const auto weight = std::ranges::find(parameters_->list(), layer + "weight");
    const auto at = static_cast<std::size_t>(weight - parameters_->list().begin());
    const model::Shape* shape = at < parameters_->size() ? parameters_->shape(at) : nullptr;
    return shape == nullptr || shape->size() == 2 || shape->size() == 4;
  }

  void check_powers(const model::Selector& selector) const {
    constexpr std::size_t kMany = 20;
    std::vector<std::string> odd;
    const std::vector<bool> selected = model::matched_names(selector, *parameters_);
    for (std::size_t at = 0; at < selected.size() && odd.size() < kMany; ++at) {
      if (selected[at] && !has_powers((*parameters_)[at])) {
        odd.push_back(fmt::format("`{}`", (*parameters_)[at]));
      }
    }
    if (!odd.empty()) {
      sink_
          .report(diag::wrong_layer_kind, action_.origin.span, "powers", "linear layers and 2D convolutions",
                  base::join_and(odd))
          .with_help("remove these parameters from `params`");
    }
  }

  const ir::Action& action_;
  const std::vector<model::Module>* modules_;
  mutable std::optional<model::ModuleIndex> index_;  // of the modules, built on first use
  const model::ModelNames* parameters_;
  diag::Sink& sink_;
};

}  // namespace

void check_model(const ir::Action& action, const ReadOptions& options, const Run& run, diag::Sink& sink) {
  if (action.valid) {
    ModelCheck(action, options, sink).check(run);
  }
}

using source::Value;

std::optional<std::vector<std::size_t>> tensor_lengths(const Value& value) {
  const auto* list = value.get<source::List>();
  if (list == nullptr) {
    return value.number() ? std::optional(std::vector<std::size_t>()) : std::nullopt;
  }
  std::optional<std::vector<std::size_t>> inner = std::vector<std::size_t>();
  for (std::size_t at = 0; at < list->size() && inner; ++at) {
    auto lengths = tensor_lengths((*list)[at]);
    inner = at == 0 || lengths == inner ? std::move(lengths) : std::nullopt;
  }
  if (inner) inner->insert(inner->begin(), list->size());
  return inner;
}

// A gradual parameter changes from one tensor to the other element by element, so both need the same shape.
void check_values(Modifier& modifier, diag::Sink& sink) {
  std::optional<std::vector<std::size_t>> first;
  for (const std::string_view name : {"val", "init_val", "final_val"}) {
    const Field* field = modifier.spec->find(name) == nullptr ? nullptr : modifier.readable(name);
    const auto lengths = field == nullptr ? std::nullopt : tensor_lengths(field->value);
    if (field != nullptr && !lengths) {
      sink.report(diag::wrong_type, field->value.span, name, "a number or a list of numbers",
                  source::describe(field->value))
          .with_help("write the numbers without quotes, the same count in each nested list");
      invalidate(modifier, name);
    } else if (first && lengths && *first != *lengths) {
      sink.report(diag::wrong_type, field->value.span, name, "of the same shape as `init_val`",
                  source::describe(field->value))
          .with_label(modifier.place("init_val"), "the initial value")
          .with_help("write the same number of values as in `init_val`");
    }
    if (field != nullptr) first = lengths;
  }
}

}  // namespace sparsecfg::dialect::sparseml
