#include "ir/effect.h"

#include "base/overloaded.h"
#include "ir/fields.h"

namespace sparsecfg::ir {

bool operator==(const Structure& a, const Structure& b) { return has_same_fields(a, b); }

bool operator==(const EpochScheduler& a, const EpochScheduler& b) { return has_same_fields(a, b); }

const Located<double>* initial_sparsity(const SparsityCurve& curve) {
  return std::visit(base::Overloaded{
                        [](const Ramp& ramp) { return ramp.from ? &*ramp.from : nullptr; },
                        [](const PowerRamp& ramp) { return &ramp.from; },
                        [](const PiecewiseConstant& stairs) { return &stairs.from; },
                        [](const EpochCurve& ramp) { return &ramp.from; },
                        [](const base::AnyOf<Alternation, ForwardBackward, Distributed, Expression, Constant> auto&)
                            -> const Located<double>* { return nullptr; },
                    },
                    curve);
}

std::string_view name_of(const Effect& effect) {
  return std::visit([]<class Alternative>(const Alternative&) { return Alternative::kName; }, effect);
}

std::string_view to_string(Structure::Kind kind) { return names_of<Structure::Kind>()[static_cast<std::size_t>(kind)]; }

bool makes_masks(const Effect& effect) {
  const auto* regularize = std::get_if<Regularize>(&effect);
  return std::holds_alternative<Prune>(effect) || std::holds_alternative<HoldMask>(effect) ||
         std::holds_alternative<ThresholdPrune>(effect) ||
         (regularize != nullptr && !regularize->thresholds_by.empty());
}

std::vector<const model::Selector*> selectors_of(const Effect& effect) {
  std::vector<const model::Selector*> found;
  std::visit(
      base::Overloaded{
          [&](const Prune& prune) {
            for (const Target& target : prune.targets) {
              found.push_back(&target.selector);
            }
            if (prune.followers) {
              found.push_back(&*prune.followers);
            }
          },
          [&](const Quantize& quantize) {
            for (const model::Selector& selector : quantize.layers) {
              found.push_back(&selector);
            }
          },
          [&](const Distill& distill) {
            if (distill.layers) {
              found.push_back(&*distill.layers);
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
          [&](const base::AnyOf<HoldMask, SetTrainable, SetParameter> auto& one) { found.push_back(&one.selector); },
          [](const base::AnyOf<EpochRange, SetLearningRate, LearningRateCurve, TorchScheduler, EpochScheduler,
                               SetWeightDecay> auto&) {},
      },
      effect);
  return found;
}

}  // namespace sparsecfg::ir
