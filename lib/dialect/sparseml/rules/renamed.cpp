#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "dialect/sparseml/rules/rules.h"
#include "ir/matching.h"
#include "model/matcher.h"
#include "model/module_index.h"
#include "regex/literal.h"

// Parameters that are renamed or removed before a modifier looks them up. SparseML initializes the modifiers one after
// the other. Quantization and layer pruning change the model during initialization if they start with the training
// (docs/semantics/sparseml.md#b6).
namespace sparsecfg::dialect::sparseml {

namespace {

std::string_view layer_of(std::string_view parameter) {
  return parameter.substr(0, std::min(parameter.rfind('.'), parameter.size()));
}

bool starts_at_once(const ir::Cadence& cadence) { return cadence.start.value == -1 || cadence.start.value == 0; }

bool removes_layers(const ir::Action& action) {
  return action.valid && starts_at_once(action.cadence) && action.cadence.end.value != 0 &&
         action.origin.class_name == "LayerPruningModifier";
}

bool is_batch_norm(const model::Module& module) {
  return module.type == "BatchNorm1d" || module.type == "BatchNorm2d" || module.type == "BatchNorm3d";
}

bool is_prunable(const model::Module& module) {
  return module.type == "Linear" || module.type == "Embedding" || module.type.starts_with("Conv");
}

bool is_inside(std::string_view name, const std::vector<std::string>& layers) {
  return std::ranges::any_of(layers, [&](const std::string& layer) {
    return name.size() > layer.size() && name.starts_with(layer) && name[layer.size()] == '.';
  });
}

class NamesLeft {
 public:
  NamesLeft(const std::vector<model::Module>& modules, const model::ModelNames& parameters)
      : modules_(modules), names_(parameters.list()) {}

  // Returns the layers that the action removes before training. Layers selected by type need the modules.
  [[nodiscard]] std::vector<std::string> layers_removed_by(const ir::Action& action) const {
    std::vector<std::string> layers;
    if (!removes_layers(action)) return layers;
    for (const model::Selector* selector : ir::selectors_of(action.effect)) {
      for (const model::Term& term : selector->terms) {
        if (term.kind == model::Term::Kind::exact) layers.push_back(term.text);
        if (term.kind == model::Term::Kind::all_prunable) add_prunable(layers);
      }
    }
    return layers;
  }

  void apply(const ir::Action& action) {
    if (!action.valid || !starts_at_once(action.cadence)) {
      return;
    }
    if (std::holds_alternative<ir::Quantize>(action.effect)) {
      wrap_norms(action);
    } else {
      remove_layers(action);
    }
  }

  // Returns the last action that renamed or removed a parameter, or null.
  [[nodiscard]] const ir::Action* changed_by() const { return changed_by_; }

  [[nodiscard]] bool has(const model::Term& term) {
    if (incomplete_) return true;
    if (!left_) left_.emplace(names_);
    return !left_->matched(term).ranges.empty();
  }

 private:
  // A batch norm is merged into the convolution before it or into a wrapper. Keeps all names that it may have then.
  void wrap_norms(const ir::Action& action) {
    std::vector<std::string> names;
    const model::ModuleIndex index(modules_);
    const ConvolutionsByParent convolutions = convolutions_by_parent();
    const std::set<std::string_view> sequences = fused_sequences(action);
    std::set<std::pair<std::string_view, std::string>> added;  // parents of convolutions, and tensors
    for (const std::string& name : names_) {
      const std::string layer(layer_of(name));
      const model::Module* module = index.find(layer);
      if (sequences.contains(layer)) {
        changed_by_ = &action;
        names.push_back(layer + ".0" + name.substr(layer.size()));
        continue;
      }
      if (module == nullptr || !is_batch_norm(*module)) {
        names.push_back(name);
        continue;
      }
      changed_by_ = &action;
      const std::string tensor = name.substr(std::min(layer.size() + 1, name.size()));
      names.push_back(fmt::format("{}.bn.{}", layer, tensor));
      const auto beside = convolutions.find(parent_of(layer));
      if (beside == convolutions.end() || !added.emplace(beside->first, tensor).second) continue;
      incomplete_ = incomplete_ || names.size() + 2 * beside->second.size() > limits::kMaxSelected;
      if (incomplete_) return;
      for (const std::string_view convolution : beside->second) {
        names.push_back(fmt::format("{}.bn.{}", convolution, tensor));
        names.push_back(fmt::format("{}.module.bn.{}", convolution, tensor));
      }
    }
    replace(std::move(names));
  }

  // Returns the convolutions that stay sequences of a convolution and the layers after it: fusing covers the whole
  // model, but only within `submodules` does quantization replace the sequences (docs/semantics/sparseml.md#b6-12).
  [[nodiscard]] std::set<std::string_view> fused_sequences(const ir::Action& action) const {
    std::set<std::string_view> out;
    const auto submodules = submodules_of(action);
    for (std::size_t at = 0; submodules && at + 1 < modules_.size(); ++at) {
      const model::Module& module = modules_[at];
      const model::Module& next = modules_[at + 1];
      const bool fused = module.type == "Conv2d" && (next.type == "BatchNorm2d" || next.type == "ReLU") &&
                         parent_of(module.name) == parent_of(next.name);
      const bool quantized =
          std::ranges::find(*submodules, module.name) != submodules->end() || is_inside(module.name, *submodules);
      if (fused && !quantized) out.insert(module.name);
    }
    return out;
  }

  // Returns the `submodules` of an action that fuses layers; nullopt if it has none.
  static std::optional<std::vector<std::string>> submodules_of(const ir::Action& action) {
    const ir::OriginField* given = action.origin.find("submodules");
    const ir::OriginField* fuse = action.origin.find("model_fuse_fn_name");
    const ir::OriginField* tensorrt = action.origin.find("tensorrt");
    const auto* list = given == nullptr ? nullptr : given->value.get<source::List>();
    const auto* own = fuse == nullptr ? nullptr : fuse->value.get<std::string>();
    const bool fuses = (own == nullptr || *own == "conv_bn_relus" || base::to_lower(*own) == "none") &&
                       (tensorrt == nullptr || tensorrt->value.data == source::Value::Data(false));
    if (list == nullptr || !fuses) return std::nullopt;
    std::vector<std::string> out;
    for (const source::Value& name : *list) out.push_back(source::python_str(name));
    const bool whole = std::ranges::find(out, "") != out.end();  // the name of the model itself
    return whole ? std::nullopt : std::optional(std::move(out));
  }

  using Convolutions = std::vector<std::string_view>;
  using ConvolutionsByParent = std::map<std::string_view, Convolutions>;

  // Returns the parent of a layer; empty for a layer of the model itself.
  static std::string_view parent_of(std::string_view layer) {
    return layer.substr(0, layer.rfind('.') == std::string_view::npos ? 0 : layer.rfind('.'));
  }

  [[nodiscard]] ConvolutionsByParent convolutions_by_parent() const {
    ConvolutionsByParent out;
    for (const model::Module& module : modules_) {
      if (module.type == "Conv2d") out[parent_of(module.name)].push_back(module.name);
    }
    return out;
  }

  void remove_layers(const ir::Action& action) {
    const std::vector<std::string> layers = layers_removed_by(action);
    const std::size_t before = names_.size();
    std::vector<std::string> names = names_;
    std::erase_if(names, [&](const std::string& name) { return is_inside(name, layers); });
    if (names.size() < before) changed_by_ = &action;
    replace(std::move(names));
  }

  void add_prunable(std::vector<std::string>& layers) const {
    for (const model::Module& module : modules_) {
      if (is_prunable(module)) layers.push_back(module.name);
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
  bool incomplete_ = false;  // true if there are too many names, so that any name may be one of them
};

}  // namespace

static const std::vector<model::Module>& modules_of(const ReadOptions& options) {
  static const std::vector<model::Module> kNone;
  return options.modules == nullptr ? kNone : *options.modules;
}

void check_renamed(const std::vector<ir::Action>& actions, const ReadOptions& options, diag::Sink& sink) {
  if (options.parameters == nullptr) {
    return;
  }
  NamesLeft left(modules_of(options), *options.parameters);
  for (const ir::Action& action : actions) {
    const ir::Action* changed_by = left.changed_by();
    for (const model::Selector* selector : ir::selectors_of(action.effect)) {
      if (changed_by == nullptr || !selector->strict || selector->over != model::Selector::Over::parameters) continue;
      for (const model::Term& term : selector->terms) {
        const bool named = term.kind == model::Term::Kind::exact || term.kind == model::Term::Kind::pattern;
        if (!named || options.parameters->matched(term).ranges.empty() || left.has(term)) continue;
        sink.report(diag::selector_matches_nothing, term.span, term.text, options.parameters->size())
            .with_label(changed_by->origin.span, "this modifier renames or removes the layer first")
            .with_help("start that modifier after epoch 0, or remove this name from the list");
      }
    }
    left.apply(action);
  }
}

// --- removed layers ---------------------------------------------------------------------------

// Returns a term that matches all names inside a layer.
static model::Term inside(const std::string& layer, source::Span span) {
  return {model::Term::Kind::pattern, regex::literal(layer) + "\\.", span};
}

static std::vector<model::Selector*> parameter_selectors(ir::Effect& effect) {
  std::vector<model::Selector*> out;
  if (auto* prune = std::get_if<ir::Prune>(&effect)) {
    for (ir::Target& target : prune->targets) out.push_back(&target.selector);
  } else if (auto* hold = std::get_if<ir::HoldMask>(&effect)) {
    out.push_back(&hold->selector);
  } else if (auto* trainable = std::get_if<ir::SetTrainable>(&effect)) {
    out.push_back(&trainable->selector);
  } else if (auto* set = std::get_if<ir::SetParameter>(&effect)) {
    out.push_back(&set->selector);
  }
  return out;
}

static void exclude(model::Selector& selector, const std::vector<model::Term>& terms) {
  if (terms.empty()) return;
  std::vector<model::Term> all = selector.excluded;
  all.insert(all.end(), terms.begin(), terms.end());
  selector.excluded = std::move(all);
}

void hide_removed_layers(std::vector<ir::Action>& actions, const ReadOptions& options) {
  if (options.parameters == nullptr) {
    return;
  }
  const NamesLeft names(modules_of(options), *options.parameters);
  std::vector<model::Term> removed;
  for (ir::Action& action : actions) {
    for (model::Selector* selector : parameter_selectors(action.effect)) {
      exclude(*selector, removed);
    }
    for (const std::string& layer : names.layers_removed_by(action)) {
      removed.push_back(inside(layer, action.origin.span));
    }
  }
}

// --- parameters of the model itself -------------------------------------------------------------

// Returns the names that the term matches although SparseML, which puts a dot before them, does not.
static std::vector<model::Term> wrongly_matched(const model::Term& term, const std::vector<std::string>& roots) {
  std::vector<model::Term> out;
  const model::Matcher matcher({{term}});
  for (const std::string& name : roots) {
    if (matcher.takes(name) && !matcher.takes("." + name)) {
      out.push_back({model::Term::Kind::exact, name, term.span});
    }
  }
  return out;
}

static std::size_t matches_of(const model::Term& term, const model::ModelNames& names) {
  const std::vector<bool> matched = model::matched_names({{term}}, names);
  return static_cast<std::size_t>(std::ranges::count(matched, true));
}

// The selector of one action, read with a dot before the names of parameters of the model itself.
class RootSelector {
 public:
  RootSelector(model::Selector& selector, const std::vector<std::string>& roots, const model::ModelNames& names,
               diag::Sink& sink)
      : selector_(selector), roots_(roots), names_(names), sink_(sink) {}

  void resolve() {
    for (model::Term& term : selector_.terms) resolve(term);
    std::erase_if(left_out_, [&](const model::Term& out) { return is_matched(out.text); });
    exclude(selector_, left_out_);
  }

 private:
  // Drops the dot of a name, because no other part of sparsecfg writes it.
  void resolve(model::Term& term) {
    if (term.kind != model::Term::Kind::exact && term.kind != model::Term::Kind::pattern) {
      return;
    }
    if (term.kind == model::Term::Kind::exact && term.text.starts_with('.')) {
      if (std::ranges::find(roots_, term.text.substr(1)) == roots_.end()) return;
      term.text.erase(0, 1);
      named_.push_back(term.text);
      return;
    }
    const auto wrong = wrongly_matched(term, roots_);
    left_out_.insert(left_out_.end(), wrong.begin(), wrong.end());
    if (!wrong.empty() && selector_.strict && matches_of(term, names_) <= wrong.size())
      report(term, wrong.front().text);
  }

  void report(const model::Term& term, const std::string& root) const {
    const bool pattern = term.kind == model::Term::Kind::pattern;
    sink_.report(diag::selector_matches_nothing, term.span, (pattern ? "re:" : "") + term.text, names_.size())
        .with_help(fmt::format("write `.{}`: SparseML puts a dot before parameters of the model itself", root));
  }

  // Returns true if another term matches the parameter.
  [[nodiscard]] bool is_matched(const std::string& root) const {
    return std::ranges::find(named_, root) != named_.end() ||
           std::ranges::any_of(selector_.terms, [&](const model::Term& term) {
             return term.kind == model::Term::Kind::pattern && model::Matcher({{term}}).takes("." + root);
           });
  }

  model::Selector& selector_;
  const std::vector<std::string>& roots_;
  const model::ModelNames& names_;
  diag::Sink& sink_;
  std::vector<std::string> named_;     // parameters of the model itself that are listed with a dot
  std::vector<model::Term> left_out_;  // those that a term matches only without the dot
};

std::vector<std::string> root_parameters(const ReadOptions& options) {
  std::vector<std::string> roots;
  if (options.parameters == nullptr) {
    return roots;
  }
  std::ranges::copy_if(options.parameters->list(), std::back_inserter(roots),
                       [](const std::string& name) { return name.find('.') == std::string::npos; });
  // A list of mostly such names is shortened, not a model.
  return roots.size() * 2 > options.parameters->size() ? std::vector<std::string>() : roots;
}

void resolve_root_parameters(ir::Action& action, const std::vector<std::string>& roots, const ReadOptions& options,
                             diag::Sink& sink) {
  if (roots.empty() || !action.valid) {
    return;
  }
  for (model::Selector* selector : parameter_selectors(action.effect)) {
    RootSelector(*selector, roots, *options.parameters, sink).resolve();
  }
}

// --- gradients --------------------------------------------------------------------------------

// Movement pruning skips parameters without a gradient.
static bool uses_gradients(const ir::Prune& prune) {
  return prune.criterion == "mfac" || prune.criterion == "obs" || prune.criterion == "gradient";
}

// Returns a parameter of a removed layer that the pruner selects; empty if there is none.
static std::string removed_parameter(const ir::Prune& prune, const std::vector<std::string>& layers,
                                     const model::ModelNames& parameters) {
  for (const ir::Target& target : prune.targets) {
    const std::vector<bool> selected = model::matched_names(target.selector, parameters);
    for (std::size_t at = 0; at < selected.size(); ++at) {
      if (selected[at] && is_inside(parameters[at], layers)) return parameters[at];
    }
  }
  return {};
}

// Without a model: returns the term of the pruner that selects a removed layer for certain; empty if there is none.
static std::string removed_term(const ir::Prune& prune, const ir::Action& remover) {
  using Kind = model::Term::Kind;
  std::vector<std::string> layers;
  bool all = false;
  for (const model::Selector* selector : ir::selectors_of(remover.effect)) {
    for (const model::Term& term : selector->terms) {
      all = all || term.kind == Kind::all_prunable;
      if (term.kind == Kind::exact) layers.push_back(term.text);
    }
  }
  for (const ir::Target& target : prune.targets) {
    for (const model::Term& term : target.selector.terms) {
      if (all && term.kind == Kind::all_prunable) return "__ALL_PRUNABLE__";
      if (term.kind == Kind::exact && is_inside(term.text, layers)) return term.text;
    }
  }
  return {};
}

void check_gradients(const std::vector<ir::Action>& actions, const ReadOptions& options, const Run& run,
                     diag::Sink& sink) {
  const auto lost_of = [&](const ir::Prune& prune, const ir::Action& remover) {
    if (options.parameters == nullptr) return removed_term(prune, remover);
    const NamesLeft names(modules_of(options), *options.parameters);
    return removed_parameter(prune, names.layers_removed_by(remover), *options.parameters);
  };
  for (std::size_t later = 1; later < actions.size(); ++later) {
    for (std::size_t at = 0; at < later && removes_layers(actions[later]); ++at) {
      const auto* prune = std::get_if<ir::Prune>(&actions[at].effect);
      const double start = actions[at].cadence.start.value;
      if (prune == nullptr || !actions[at].valid || !uses_gradients(*prune) ||
          actions[later].cadence.end.value <= start || !run.reaches(start)) {
        continue;
      }
      const std::string lost = lost_of(*prune, actions[later]);
      if (lost.empty()) continue;
      sink.report(diag::wrong_layer_kind, actions[at].origin.span,
                  fmt::format("gradients for `{}`", actions[at].origin.class_name), "layers that stay in the model",
                  fmt::format("`{}`", lost))
          .with_label(actions[later].origin.span, "this modifier removes the layer before the first update")
          .with_help("exclude the layer from `params`, or end the pruner later than this modifier");
    }
  }
}

// --- thinning ---------------------------------------------------------------------------------

// Reports a modifier that removes a layer before another one thins a parameter of it.
static void report_thinned(const ir::Action& remover, const ir::Action& thinning, const std::string& lost,
                           diag::Sink& sink) {
  sink.report(diag::wrong_layer_kind, thinning.origin.span, "thinned parameters", "layers that stay in the model",
              fmt::format("`{}`", lost))
      .with_label(remover.origin.span, "this modifier removes the layer")
      .with_help("remove the name from `param_group_dependency_map`, or keep the layer");
}

void check_thinned(const std::vector<ir::Action>& actions, const ReadOptions& options, const Run& run,
                   diag::Sink& sink) {
  std::vector<std::pair<const ir::Action*, std::vector<std::string>>> thinnings;
  for (const ir::Action& action : actions) {
    const bool thins = action.valid && action.origin.class_name == "LayerThinningModifier";
    if (thins) thinnings.emplace_back(&action, thinned_parameters(action));
  }
  if (options.parameters == nullptr || thinnings.empty()) return;
  const NamesLeft names(modules_of(options), *options.parameters);
  for (const ir::Action& remover : actions) {
    if (run.epochs && remover.cadence.end.value < *run.epochs) continue;  // the layers are back at the end
    const std::vector<std::string> layers = names.layers_removed_by(remover);
    for (const auto& [thinning, parameters] : thinnings) {
      const auto lost =
          std::ranges::find_if(parameters, [&](const std::string& name) { return is_inside(name, layers); });
      if (lost != parameters.end()) report_thinned(remover, *thinning, *lost, sink);
    }
  }
}

}  // namespace sparsecfg::dialect::sparseml
