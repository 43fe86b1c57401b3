#include "ir/effect.h"

#include <iterator>

#include "base/overloaded.h"

namespace sparsecfg::ir {

std::string_view to_string(Term::Kind kind) {
  switch (kind) {
    case Term::Kind::all: return "all";
    case Term::Kind::all_prunable: return "all_prunable";
    case Term::Kind::all_quantizable: return "all_quantizable";
    case Term::Kind::exact: return "exact";
    case Term::Kind::pattern: return "pattern";
    case Term::Kind::part: return "part";
    case Term::Kind::module_type: return "module_type";
  }
  return {};
}

std::string_view to_string(Selector::Over over) {
  switch (over) {
    case Selector::Over::parameters: return "parameters";
    case Selector::Over::layers: return "layers";
    case Selector::Over::either: return "either";
    case Selector::Over::modules: return "modules";
  }
  return {};
}

const Located<double>* initial_sparsity(const SparsityCurve& curve) {
  return std::visit(base::Overloaded{
                        [](const Ramp& ramp) { return ramp.from ? &*ramp.from : nullptr; },
                        [](const PowerRamp& ramp) { return &ramp.from; },
                        [](const Stairs& stairs) { return &stairs.from; },
                        [](const EpochRamp& ramp) { return &ramp.from; },
                        [](const auto&) -> const Located<double>* { return nullptr; },
                    },
                    curve);
}

std::string_view name_of(const Effect& effect) {
  constexpr std::string_view kNames[] = {"EpochRange", "Prune", "HoldMask", "SetLearningRate", "LearningRateCurve",
                                         "TorchScheduler", "SetWeightDecay", "Quantize", "SetTrainable",
                                         "SetParameter", "Distill", "Opaque", "EpochScheduler", "ThresholdPrune",
                                         "Regularize"};
  static_assert(std::size(kNames) == std::variant_size_v<Effect>);
  return kNames[effect.index()];
}

std::vector<const Selector*> selectors_of(const Effect& effect) {
  std::vector<const Selector*> found;
  std::visit(base::Overloaded{
                 [&](const Prune& prune) {
                   for (const Target& target : prune.targets) {
                     found.push_back(&target.selector);
                   }
                 },
                 [&](const ThresholdPrune& prune) {
                   for (const auto& threshold : prune.thresholds) {
                     found.push_back(&threshold.selector);
                   }
                 },
                 [&](const Regularize& regularize) {
                   for (const auto& strength : regularize.strengths) {
                     found.push_back(&strength.selector);
                   }
                 },
                 [&](const Opaque& opaque) {
                   if (opaque.selector) {
                     found.push_back(&*opaque.selector);
                   }
                 },
                 [&](const auto& other) {
                   if constexpr (requires { other.selector; }) {
                     found.push_back(&other.selector);
                   }
                 },
             },
             effect);
  return found;
}

}  // namespace sparsecfg::ir
