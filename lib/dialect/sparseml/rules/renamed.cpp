#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "dialect/sparseml/rules/rules.h"
#include "ir/matching.h"

// What is left of the names of the model's parameters when a modifier looks for them. SparseML lets its modifiers meet
// the model one after the other, and two of them change it at once if they start with the training
// (reference/sparseml.md B.6).
namespace sparsecfg::dialect::sparseml {

namespace {

std::string_view layer_of(std::string_view parameter) {
  return parameter.substr(0, std::min(parameter.rfind('.'), parameter.size()));
}

bool starts_at_once(const ir::Cadence& cadence) { return cadence.start.value == -1 || cadence.start.value == 0; }

bool is_batch_norm(const source::Module& module) {
  return module.type == "BatchNorm1d" || module.type == "BatchNorm2d" || module.type == "BatchNorm3d";
}

bool is_prunable(const source::Module& module) {
  return module.type == "Linear" || module.type == "Embedding" || module.type.starts_with("Conv");
}

class NamesLeft {
 public:
  NamesLeft(const std::vector<source::Module>& modules, const ir::ModelNames& parameters)
      : modules_(modules), names_(parameters.list()) {}

  void apply(const ir::Action& action) {
    if (!action.valid || !starts_at_once(action.cadence)) {
      return;
    }
    if (std::holds_alternative<ir::Quantize>(action.effect)) {
      wrap_norms(action);
    } else if (action.origin.class_name == "LayerPruningModifier" && action.cadence.end.value != 0) {
      remove_layers(action);
    }
  }

  // The last action that has taken names away; null while all are there.
  [[nodiscard]] const ir::Action* changed_by() const { return changed_by_; }

  [[nodiscard]] bool has(const ir::Term& term) {
    if (!left_) left_.emplace(names_);
    return !left_->matched(term).stretches.empty();
  }

 private:
  // A batch norm becomes a part of the convolution before it or of a wrapper of its own. Every name that it may have
  // then counts as there.
  void wrap_norms(const ir::Action& action) {
    std::vector<std::string> names;
    for (const std::string& name : names_) {
      const std::string layer(layer_of(name));
      const auto module = std::ranges::find(modules_, layer, &source::Module::name);
      if (module == modules_.end() || !is_batch_norm(*module)) {
        names.push_back(name);
        continue;
      }
      const std::string tensor = name.substr(std::min(layer.size() + 1, name.size()));
      names.push_back(fmt::format("{}.bn.{}", layer, tensor));
      for (const std::string& convolution : convolutions_beside(layer)) {
        names.push_back(fmt::format("{}.bn.{}", convolution, tensor));
        names.push_back(fmt::format("{}.module.bn.{}", convolution, tensor));
      }
      changed_by_ = &action;
    }
    replace(std::move(names));
  }

  [[nodiscard]] std::vector<std::string> convolutions_beside(std::string_view layer) const {
    std::vector<std::string> out;
    for (const source::Module& module : modules_) {
      const bool beside = module.name.find('.') == std::string::npos ? layer.find('.') == std::string_view::npos
                                                                     : layer_of(module.name) == layer_of(layer);
      if (beside && module.type == "Conv2d") out.push_back(module.name);
    }
    return out;
  }

  void remove_layers(const ir::Action& action) {
    std::vector<std::string_view> layers;
    for (const ir::Selector* selector : ir::selectors_of(action.effect)) {
      for (const ir::Term& term : selector->terms) {
        if (term.kind == ir::Term::Kind::exact) layers.emplace_back(term.text);
        if (term.kind == ir::Term::Kind::all_prunable) add_prunable(layers);
      }
    }
    const std::size_t before = names_.size();
    std::vector<std::string> names = names_;
    std::erase_if(names, [&](const std::string& name) {
      return std::ranges::any_of(layers, [&](std::string_view layer) {
        return name.size() > layer.size() && name.starts_with(layer) && name[layer.size()] == '.';
      });
    });
    if (names.size() < before) changed_by_ = &action;
    replace(std::move(names));
  }

  void add_prunable(std::vector<std::string_view>& layers) const {
    for (const source::Module& module : modules_) {
      if (is_prunable(module)) layers.emplace_back(module.name);
    }
  }

  void replace(std::vector<std::string> names) {
    names_ = std::move(names);
    left_.reset();
  }

  const std::vector<source::Module>& modules_;
  std::vector<std::string> names_;
  std::optional<ir::ModelNames> left_;  // the same, when they are first asked for
  const ir::Action* changed_by_ = nullptr;
};

}  // namespace

void check_renamed(const std::vector<ir::Action>& actions, const ReadOptions& options, diag::Sink& sink) {
  if (options.modules == nullptr || options.parameters == nullptr) {
    return;
  }
  NamesLeft left(*options.modules, *options.parameters);
  for (const ir::Action& action : actions) {
    const ir::Action* changed_by = left.changed_by();
    for (const ir::Selector* selector : ir::selectors_of(action.effect)) {
      if (changed_by == nullptr || !selector->strict || selector->over != ir::Selector::Over::parameters) continue;
      for (const ir::Term& term : selector->terms) {
        const bool named = term.kind == ir::Term::Kind::exact || term.kind == ir::Term::Kind::pattern;
        if (!named || options.parameters->matched(term).stretches.empty() || left.has(term)) continue;
        sink.report(diag::selector_matches_nothing, term.span, base::printable(term.text), options.parameters->size())
            .with_label(changed_by->origin.span, "this one has renamed or removed the layer by then")
            .with_help("start that one after epoch 0, or take this out of the list");
      }
    }
    left.apply(action);
  }
}

}  // namespace sparsecfg::dialect::sparseml
