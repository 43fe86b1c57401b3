#include "ir/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/number.h"
#include "base/overloaded.h"
#include "base/text.h"

namespace sparsecfg::ir {

using base::python_repr;

// --- names ------------------------------------------------------------------------------------------

std::string selector_text(const model::Selector& selector) {
  std::string out;
  const auto add = [&](const model::Term& term, std::string_view before) {
    out += (out.empty() ? "" : ", ") + std::string(before) + (term.kind == model::Term::Kind::pattern ? "re:" : "") +
           base::printable(term.text);
  };
  for (const model::Term& term : selector.terms) {
    add(term, "");
  }
  for (const model::Term& term : selector.excluded) {
    add(term, "not ");
  }
  return selector.tensor.empty() ? out : out + ": " + base::printable(selector.tensor);
}

std::string first_terms(const Action& action) {
  constexpr std::size_t kMaxShown = 3;
  std::vector<std::string> texts;
  for (const model::Selector* selector : selectors_of(action.effect)) {
    for (const model::Term& term : selector->terms) {
      texts.push_back(
          fmt::format("`{}{}`", term.kind == model::Term::Kind::pattern ? "re:" : "", base::printable(term.text)));
    }
  }
  const std::size_t shown = std::min(texts.size(), kMaxShown);
  std::string out =
      fmt::format("{}", fmt::join(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return texts.size() > shown ? out + fmt::format(" and {} more", texts.size() - shown) : out;
}

std::string numbered_name(const Origin& origin) {
  return origin.ordinal > 0 ? fmt::format("{}#{}", origin.class_name, origin.ordinal) : origin.class_name;
}

std::string printable_name(const Origin& origin) { return base::printable(numbered_name(origin)); }

std::string joined_names(std::string_view class_name, std::vector<int> ordinals) {
  std::ranges::sort(ordinals);
  ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
  const std::string first = base::printable(fmt::format("{}#{}", class_name, ordinals.front()));
  const auto count = static_cast<int>(ordinals.size());
  if (count == 1) return first;
  if (ordinals.back() - ordinals.front() == count - 1 && count > 2) {
    return fmt::format("{} to #{}", first, ordinals.back());
  }
  return count == 2 ? fmt::format("{} and #{}", first, ordinals.back())
                    : fmt::format("{}, #{} and {} more", first, ordinals[1], count - 2);
}

std::string_view kind_of(const Effect& effect) {
  return std::visit(
      base::Overloaded{
          [](const EpochRange&) { return "training"; },
          [](const Prune&) { return "pruning"; },
          [](const ThresholdPrune&) { return "threshold pruning"; },
          [](const HoldMask&) { return "mask held"; },
          [](const base::AnyOf<SetLearningRate, LearningRateCurve, TorchScheduler, EpochScheduler> auto&) {
            return "learning rate";
          },
          [](const SetWeightDecay&) { return "weight decay"; },
          [](const Quantize&) { return "quantization"; },
          [](const SetTrainable& set) { return set.trainable ? "trainable" : "frozen parameters"; },
          [](const SetParameter&) { return "parameter"; },
          [](const Distill&) { return "distillation"; },
          [](const Opaque&) { return "active"; },
          [](const Regularize&) { return "regularization"; },
      },
      effect);
}

// --- times ------------------------------------------------------------------------------------------

static std::string when_counted(const StepSchedule& counted) {
  const std::string_view unit = counted.in_epochs ? "epoch" : "step";
  std::string out = fmt::format("after {} {}s", counted.first, unit);
  return counted.times > 1 ? out + fmt::format(", every {}, {} times", counted.every, counted.times) : out;
}

std::string when(const Action& action) {
  const Cadence& cadence = action.cadence;
  if (cadence.counted() != nullptr) {
    return when_counted(*cadence.counted());
  }
  if (!cadence.listed().empty()) {
    std::vector<std::string> epochs;
    for (const auto& epoch : cadence.listed()) epochs.push_back(python_repr(epoch.value));
    return fmt::format("in epochs {}", fmt::join(epochs, ", "));
  }
  if (cadence.start.value <= 0 && !cadence.ends()) {
    return "from the start";
  }
  const std::string start = python_repr(std::max(0.0, cadence.start.value));
  std::string out =
      !cadence.ends() ? "from epoch " + start : fmt::format("epochs {} to {}", start, python_repr(cadence.end.value));
  const bool updates = cadence.every_or(0) > 0;
  return updates ? out + ", every " + python_repr(cadence.every()->value) : out;
}

// --- effects ----------------------------------------------------------------------------------------

std::string text_of(const Structure& structure) {
  switch (structure.kind) {
    case Structure::Kind::unstructured: return "single weights";
    case Structure::Kind::n_of_m: return fmt::format("{}:{}", structure.n, structure.m);
    case Structure::Kind::block: return fmt::format("blocks of {}x{}", structure.n, structure.m);
    case Structure::Kind::filter: return "filters";
    case Structure::Kind::channel: return "channels";
  }
  return {};
}

static std::string_view manner_of(Shape shape) {
  switch (shape) {
    case Shape::linear: return "linear";
    case Shape::cubic: return "cubic (fast at first)";
    case Shape::inverse_cubic: return "inverse cubic (slow at first)";
  }
  return {};
}

static std::string manner_of(const SparsityCurve& curve) {
  return std::visit(
      base::Overloaded{
          [](const Ramp& ramp) { return std::string(manner_of(ramp.shape)); },
          [](const Alternation&) { return std::string("alternating dense and sparse phases"); },
          [](const ForwardBackward& each) { return "gradients at " + python_repr(each.backward.value); },
          [](const Distributed& each) { return "distributed by " + each.strategy; },
          [](const PowerRamp& ramp) { return "power " + python_repr(ramp.exponent); },
          [](const PiecewiseConstant& stairs) { return fmt::format("in {} steps", stairs.stairs.size()); },
          [](const Expression&) { return std::string("formula of the epoch"); },
          [](const Constant&) { return std::string("in one step"); },
          [](const EpochCurve&) { return std::string("function of the epoch"); },
      },
      curve);
}

static std::string effect_text(const Prune& prune) {
  std::vector<std::string> goals;
  for (const Target& target : prune.targets) {
    std::string goal = python_repr(target.sparsity.value);
    if (goals.empty() || goals.back() != goal) goals.push_back(std::move(goal));
  }
  const auto* from = initial_sparsity(prune.curve);
  const std::string start = from == nullptr ? "" : fmt::format("from {} ", python_repr(from->value));
  const bool whole = prune.structure.kind != Structure::Kind::unstructured;
  return fmt::format("sparsity {}to {}, {}{}{}", start, fmt::join(goals, ", "), manner_of(prune.curve),
                     whole ? "; " + text_of(prune.structure) : "", prune.global ? ", ranked over all parameters" : "");
}

static std::string_view manner_of(LearningRateCurve::Kind kind) {
  switch (kind) {
    case LearningRateCurve::Kind::linear: return "linear";
    case LearningRateCurve::Kind::cosine: return "cosine";
    case LearningRateCurve::Kind::cyclic_linear: return "cyclic linear";
  }
  return {};
}

static std::string effect_text(const LearningRateCurve& curve) {
  return fmt::format("learning rate from {} to {}, {}", python_repr(curve.from.value), python_repr(curve.to.value),
                     manner_of(curve.kind));
}

std::string describe(const Action& action) {
  const std::string effect = std::visit(
      base::Overloaded{
          [](const base::AnyOf<Prune, LearningRateCurve> auto& each) { return effect_text(each); },
          [](const SetLearningRate& set) { return "learning rate " + python_repr(set.rate.value); },
          [](const SetWeightDecay& set) { return "weight decay " + python_repr(set.decay.value); },
          [&](const base::AnyOf<TorchScheduler, EpochScheduler, ThresholdPrune, HoldMask, Quantize, SetTrainable,
                                Distill, Regularize> auto&) { return std::string(kind_of(action.effect)); },
          [](const base::AnyOf<EpochRange, SetParameter, Opaque> auto&) { return std::string(); },
      },
      action.effect);
  return when(action) + (effect.empty() ? "" : ": ") + effect;
}

}  // namespace sparsecfg::ir
