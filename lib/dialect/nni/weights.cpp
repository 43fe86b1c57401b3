#include "dialect/nni/weights.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/nni/table.h"
#include "dialect/nni/write.h"
#include "ir/matching.h"

namespace sparsecfg::dialect::nni {

// Name prefix of parameters of a DataParallel model.
constexpr std::string_view kParallel = "module.";

// --- patterns -----------------------------------------------------------------------------------------

// Returns true if a pattern has a top-level alternation, so its suffix does not apply to all alternatives.
static bool is_choice(std::string_view pattern) {
  int depth = 0;
  bool in_set = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\') {
      ++at;
    } else if (in_set) {
      in_set = c != ']';
    } else if (c == '[') {
      in_set = true;
    } else if (c == '|' && depth == 0) {
      return true;
    } else {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
  }
  return false;
}

std::optional<std::string> pattern_over_modules(std::string_view pattern) {
  if (is_choice(pattern)) {
    return std::nullopt;
  }
  if (pattern.ends_with('$')) {
    pattern.remove_suffix(1);
  }
  for (const std::string_view ending : {"\\.weight", "[.]weight", ".weight"}) {
    if (pattern.ends_with(ending)) {
      pattern.remove_suffix(ending.size());
      return std::string(pattern) + "$";
    }
  }
  return std::nullopt;
}

// --- names --------------------------------------------------------------------------------------------

static model::ModelNames weights_of(const model::Model& model) {
  std::vector<std::string> weights;
  for (const model::Module& module : model.modules())
    weights.push_back(module.name + std::string(model::kWeightEnding));
  return model::ModelNames(std::move(weights)).limited_by(std::make_shared<model::WorkLimit>());
}

Weights::Weights(const WriteOptions& options, diag::Sink& sink)
    : options_(options), sink_(sink), model_(options.read.modules.get()), weights_(weights_of(model_)) {
  for (const model::Module& module : model_.modules()) {
    const std::string_view name = module.name;
    containers_.insert(name.substr(0, name.find('.') == std::string_view::npos ? 0 : name.rfind('.')));
  }
}

// Returns the module of a weight, or nullopt for biases and other tensors.
std::optional<std::string> Weights::module_of(const std::string& parameter) const {
  if (!parameter.ends_with(model::kWeightEnding) || parameter.size() == model::kWeightEnding.size()) {
    return std::nullopt;
  }
  const std::string name = parameter.substr(0, parameter.size() - model::kWeightEnding.size());
  const bool kept =
      model_.find(name) != nullptr || (options_.parameters != nullptr && options_.parameters->knows(parameter));
  return !kept && name.starts_with(kParallel) ? name.substr(kParallel.size()) : name;
}

static bool is_prunable(const model::Module& module) {
  const auto types = registered_types(Mode::pruning);
  return std::ranges::find(types, module.type) != types.end();
}

bool Weights::may_hold_weight(const model::Module& module) const {
  return !containers_.contains(module.name) && !lacks_tensor(module.type, "weight");
}

// Linear, convolutional and embedding layers (docs/semantics/sparseml.md#d1-5). NNI compares type names exactly.
Modules Weights::prunable() const {
  static constexpr std::string_view kTypes[] = {"Linear", "Embedding",       "Conv1d",          "Conv2d",
                                                "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"};
  Modules out;
  if (!model_.known()) {
    out.types.assign(std::begin(kTypes), std::end(kTypes));
    return out;
  }
  for (const model::Module& module : model_.modules()) {
    if (std::ranges::find(kTypes, module.type) != std::end(kTypes)) out.names.push_back(module.name);
  }
  return out;
}

// Omits names that the model lacks, because NNI fails on them.
bool Weights::add(const std::vector<std::string>& parameters, Modules& out, std::string& reason) const {
  std::unordered_set<std::string> seen(out.names.begin(), out.names.end());
  for (const std::string& parameter : parameters) {
    const auto name = module_of(parameter);
    if (!name) {
      reason = fmt::format("NNI prunes only weights, and `{}` is not a weight", base::printable(parameter));
      return false;
    }
    const model::Module* module = model_.find(*name);
    if (module != nullptr && !is_prunable(*module)) {
      reason = fmt::format("NNI does not support modules of the type `{}`", base::printable(module->type));
      return false;
    }
    if ((module != nullptr || !model_.known()) && seen.insert(*name).second) {
      out.names.push_back(*name);
    }
  }
  return true;
}

// Adds the modules of the model that the pattern matches. Reports modules that may have a weight that NNI can't prune.
void Weights::match(const ir::Action& action, const model::Term& term, Modules& out, ActionStatus& status) const {
  const std::vector<bool> matched = model::matched_names({{term}}, weights_);
  for (std::size_t at = 0; at < matched.size(); ++at) {
    const model::Module& module = model_.modules()[at];
    if (matched[at] && is_prunable(module)) {
      out.names.push_back(module.name);
    } else if (matched[at] && may_hold_weight(module) && status.kind == ActionStatus::Kind::kept) {
      const std::string why = fmt::format("NNI does not support modules like `{}`", base::printable(module.name));
      dialect::report(status, sink_, diag::schedule_approximated, action.origin.span, action.origin.class_name, why);
      status.approximate(why);
    }
  }
}

bool Weights::add(const ir::Action& action, const model::Selector& selector, Modules& out, ActionStatus& status,
                  std::string& reason) const {
  std::vector<std::string> names;
  for (const model::Term& term : selector.terms) {
    const auto pattern = term.kind == model::Term::Kind::pattern ? pattern_over_modules(term.text) : std::nullopt;
    if (term.kind == model::Term::Kind::exact) {
      names.push_back(term.text);
    } else if (pattern && model_.known()) {
      match(action, term, out, status);
    } else if (pattern) {
      out.patterns.push_back(*pattern);
      dialect::report(status, sink_, diag::regex_anchoring_changed, term.span, term.text, "parameters", *pattern);
      status.kind = ActionStatus::Kind::approximated;
      status.reason = "a pattern over parameters is converted to a pattern over modules";
    } else {
      return false;
    }
  }
  return add(names, out, reason);
}

void Weights::report_unnamed(const ir::Action& action, const model::Selector& selector, ActionStatus& status) const {
  const bool rest = !selector.terms.empty() && selector.terms.back().kind == model::Term::Kind::all;
  status.kind = ActionStatus::Kind::dropped;
  status.reason = rest ? "NNI requires the remaining names" : "NNI requires the names of the selected modules";
  if (rest) {
    dialect::report(status, sink_, diag::first_match_order_lost, action.origin.span, "*", status.reason);
  } else {
    dialect::report(status, sink_, diag::model_needed, action.origin.span, action.origin.class_name, status.reason);
  }
}

static bool selects_prunable(const model::Selector& selector) {
  return std::ranges::any_of(selector.terms,
                             [](const model::Term& term) { return term.kind == model::Term::Kind::all_prunable; });
}

std::optional<std::vector<Modules>> Weights::of(const ir::Action& action, const ir::Prune& prune,
                                                ActionStatus& status) const {
  const auto known = options_.parameters == nullptr ? std::vector<std::vector<std::string>>()
                                                    : ir::parameters_of_targets(prune, *options_.parameters);
  std::vector<Modules> out(prune.targets.size());
  for (std::size_t target = 0; target < prune.targets.size(); ++target) {
    const model::Selector& selector = prune.targets[target].selector;
    std::string reason;
    if (selects_prunable(selector)) {
      out[target] = prunable();
    } else if (selector.over != model::Selector::Over::parameters) {
      drop(status, action, "it selects whole layers, which NNI can't prune", sink_);
      return std::nullopt;
    } else if (!(known.empty() ? add(action, selector, out[target], status, reason)
                               : add(known[target], out[target], reason))) {
      reason.empty() ? report_unnamed(action, selector, status) : drop(status, action, reason, sink_);
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace sparsecfg::dialect::nni
