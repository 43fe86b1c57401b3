#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "dialect/sparseml/rules/rules.h"
#include "ir/matching.h"

// Parameters that are renamed or removed before a modifier looks them up. SparseML initializes the modifiers one after
// the other. Quantization and layer pruning change the model during initialization if they start with the training
// (reference/sparseml.md B.6).
namespace sparsecfg::dialect::sparseml {

namespace {

std::string_view layer_of(std::string_view parameter) {
  return parameter.substr(0, std::min(parameter.rfind('.'), parameter.size()));
}

bool starts_at_once(const ir::Cadence& cadence) { return cadence.start.value == -1 || cadence.start.value == 0; }

bool is_batch_norm(const model::Module& module) {
  return module.type == "BatchNorm1d" || module.type == "BatchNorm2d" || module.type == "BatchNorm3d";
}

bool is_prunable(const model::Module& module) {
  return module.type == "Linear" || module.type == "Embedding" || module.type.starts_with("Conv");
}

class NamesLeft {
 public:
  NamesLeft(const std::vector<model::Module>& modules, const model::ModelNames& parameters)
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

  // Returns the last action that renamed or removed a parameter, or null.
  [[nodiscard]] const ir::Action* changed_by() const { return changed_by_; }

  [[nodiscard]] bool has(const model::Term& term) {
    if (!left_) left_.emplace(names_);
    return !left_->matched(term).ranges.empty();
  }

 private:
  // A batch norm is merged into the convolution before it or into a wrapper. Keeps all names that it may have then.
  void wrap_norms(const ir::Action& action) {
    std::vector<std::string> names;
    for (const std::string& name : names_) {
      const std::string layer(layer_of(name));
      const auto module = std::ranges::find(modules_, layer, &model::Module::name);
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
    for (const model::Module& module : modules_) {
      const bool beside = module.name.find('.') == std::string::npos ? layer.find('.') == std::string_view::npos
                                                                     : layer_of(module.name) == layer_of(layer);
      if (beside && module.type == "Conv2d") out.push_back(module.name);
    }
    return out;
  }

  void remove_layers(const ir::Action& action) {
    std::vector<std::string_view> layers;
    for (const model::Selector* selector : ir::selectors_of(action.effect)) {
      for (const model::Term& term : selector->terms) {
        if (term.kind == model::Term::Kind::exact) layers.emplace_back(term.text);
        if (term.kind == model::Term::Kind::all_prunable) add_prunable(layers);
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
    for (const model::Module& module : modules_) {
      if (is_prunable(module)) layers.emplace_back(module.name);
    }
  }

  void replace(std::vector<std::string> names) {
    names_ = std::move(names);
    left_.reset();
  }

  const std::vector<model::Module>& modules_;
  std::vector<std::string> names_;
  std::optional<model::ModelNames> left_;  // the same names, computed on first use
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
    for (const model::Selector* selector : ir::selectors_of(action.effect)) {
      if (changed_by == nullptr || !selector->strict || selector->over != model::Selector::Over::parameters) continue;
      for (const model::Term& term : selector->terms) {
        const bool named = term.kind == model::Term::Kind::exact || term.kind == model::Term::Kind::pattern;
        if (!named || options.parameters->matched(term).ranges.empty() || left.has(term)) continue;
        sink.report(diag::selector_matches_nothing, term.span, base::printable(term.text), options.parameters->size())
            .with_label(changed_by->origin.span, "this modifier renames or removes the layer first")
            .with_help("start that modifier after epoch 0, or remove this name from the list");
      }
    }
    left.apply(action);
  }
}

}  // namespace sparsecfg::dialect::sparseml
