#include "timeline/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "ir/describe.h"
#include "ir/matching.h"

namespace sparsecfg::timeline {

// Returns the number of parameter groups of the optimizer: those of the run, and those that the recipe names.
static std::size_t group_count(const ir::Recipe& recipe, const Run& run) {
  // No optimizer has a group with a larger index, so it gets no entry.
  constexpr std::int64_t kMaxGroups = 1000;
  std::int64_t max = static_cast<std::int64_t>(std::clamp<std::size_t>(run.groups, 1, kMaxGroups)) - 1;
  for (const ir::Action& action : recipe.actions) {
    std::visit(
        [&](const auto& effect) {
          if constexpr (requires { effect.groups; }) {
            for (const std::int64_t group : effect.groups) max = std::max(max, group);
          }
        },
        action.effect);
  }
  return static_cast<std::size_t>(std::min(max, kMaxGroups)) + 1;
}

Evaluator::Evaluator(const ir::Recipe& recipe, const Run& run)
    : recipe_(recipe), run_(run), steps_(run.steps()), state_{0,  Optimizer(group_count(recipe, run), run.initial_rate),
                                                              {}, {},
                                                              {}, {}} {
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    add_action(index);
  }
  std::ranges::stable_sort(columns_, {},
                           [&](const Column& column) { return recipe.actions[column.action].origin.ordinal; });
  next_step_.resize(steppers_.size());
  for (std::size_t stepper = 0; stepper < steppers_.size(); ++stepper) {
    wait_for(stepper);
    next_ = std::min(next_, next_step_[stepper]);
  }
}

void Evaluator::add_action(std::size_t index) {
  const ir::Action& action = recipe_.actions[index];
  std::visit(
      base::Overloaded{
          [&](const ir::Prune& prune) { add_prune(index, prune); },
          [&](const ir::LearningRateCurve& curve) {
            steppers_.emplace_back(RateStepper(curve, action.cadence, index, run_));
          },
          [&](const ir::TorchScheduler& scheduler) {
            steppers_.emplace_back(StepStepper(scheduler, action.cadence, index, run_));
          },
          [&](const ir::EpochScheduler& scheduler) {
            steppers_.emplace_back(EpochRateStepper(scheduler, action.cadence, index, run_));
          },
          [&](const base::AnyOf<ir::EpochRange, ir::HoldMask, ir::SetLearningRate, ir::SetWeightDecay, ir::Quantize,
                                ir::SetTrainable, ir::SetParameter, ir::Distill, ir::Opaque, ir::ThresholdPrune,
                                ir::Regularize> auto&) { steppers_.emplace_back(PhaseStepper(action, index, run_)); },
      },
      action.effect);
}

static bool never_acts(const ir::Cadence& cadence) {
  return cadence.counted() != nullptr && cadence.counted()->times == 0;
}

static bool is_distributed(const ir::Prune& prune) { return std::holds_alternative<ir::Distributed>(prune.curve); }

// With a level of 0 for single weights, no mask is created.
static bool creates_no_mask(const ir::Prune& prune, const ir::Cadence& cadence, double sparsity) {
  return cadence.is<ir::WholeEpochs>() && std::holds_alternative<ir::Constant>(prune.curve) &&
         prune.structure.kind == ir::Structure::Kind::unstructured && sparsity == 0;
}

static bool measures_start(const ir::Prune& prune) {
  const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
  return ramp != nullptr && !ramp->from;
}

// Second-order pruners collect gradients between steps, so they do nothing with one step per epoch
// (docs/semantics/sparseml.md#c3-7).
static bool never_updates(const ir::Prune& prune, const Run& run) {
  return run.steps_per_epoch == 1 && (prune.criterion == "mfac" || prune.criterion == "obs");
}

void Evaluator::add_prune(std::size_t index, const ir::Prune& prune) {
  const ir::Origin& origin = recipe_.actions[index].origin;
  const std::string name = ir::printable_name(origin);
  const std::vector<bool> empty = ir::targets_without_parameters(prune, run_.parameters);
  for (std::size_t target = 0; target < prune.targets.size(); ++target) {
    if (empty[target]) {
      continue;
    }
    const double sparsity = prune.targets[target].sparsity.value;
    const std::string label = prune.targets.size() == 1 ? name : name + "[" + base::python_repr(sparsity) + "]";
    const bool unmasked = creates_no_mask(prune, recipe_.actions[index].cadence, sparsity);
    std::string unknown = unmasked                     ? "a level of 0 leaves the weights unchanged"
                          : is_distributed(prune)      ? "distributed among the parameters by shape"
                          : measures_start(prune)      ? "starts from the zeros already in each parameter"
                          : never_updates(prune, run_) ? "never updated with one step per epoch"
                          : never_acts(recipe_.actions[index].cadence) ? "no update is scheduled"
                                                                       : "";
    columns_.push_back({index, target, label, track_of(index, prune, prune.targets[target]), std::move(unknown)});
  }
}

// Returns a key that is the same for equal schedules and rarely for others.
static std::string key_of(const ir::Cadence& cadence, const ir::Target& target) {
  const auto counted = cadence.counted() == nullptr ? ir::StepSchedule{} : *cadence.counted();
  return fmt::format("{} {} {} {} {} {}", cadence.start.value, cadence.end.value, target.sparsity.value, counted.first,
                     counted.every, cadence.listed().size());
}

// Columns with the same schedule are evaluated once.
std::size_t Evaluator::track_of(std::size_t index, const ir::Prune& prune, const ir::Target& target) {
  const ir::Cadence& cadence = recipe_.actions[index].cadence;
  const bool updates = !never_updates(prune, run_) && !creates_no_mask(prune, cadence, target.sparsity.value);
  ir::Target bounds = target;
  bounds.selector = {};
  std::vector<Track>& similar = tracks_[key_of(cadence, target)];
  auto track = std::ranges::find_if(similar, [&](const Track& other) {
    return *other.curve == prune.curve && *other.cadence == cadence && other.bounds == bounds &&
           other.updates == updates;
  });
  if (track == similar.end()) {
    track = similar.insert(similar.end(), {&prune.curve, &cadence, std::move(bounds), updates, state_.sparsities.size(),
                                           steppers_.size()});
    state_.sparsities.emplace_back();
    state_.ended.push_back(false);
    if (updates) {
      steppers_.emplace_back(SparsityStepper(prune, target, cadence, track->number, run_));
    }
  }
  if (updates) {
    std::get<SparsityStepper>(steppers_[track->stepper]).share(index);
  }
  return track->number;
}

bool Evaluator::is_off(const Column& column) const {
  const ir::Action& action = recipe_.actions[column.action];
  const auto& prune = std::get<ir::Prune>(action.effect);
  return state_.ended[column.track] && !prune.hold_after_end && action.cadence.is<ir::SinceLastUpdate>();
}

static std::uint64_t due_of(const Stepper& stepper) {
  return std::visit([](const auto& any) { return any.next_step(); }, stepper);
}

// Returns true if the stepper acts after steps, so that it also acts after the last step of the run.
static bool outlasts_steps(const Stepper& stepper) {
  const auto* pruner = std::get_if<SparsityStepper>(&stepper);
  return std::holds_alternative<EpochRateStepper>(stepper) || (pruner != nullptr && pruner->outlasts_steps());
}

void Evaluator::wait_for(std::size_t stepper) {
  const std::uint64_t step = due_of(steppers_[stepper]);
  next_step_[stepper] = step < steps_ || (step == steps_ && outlasts_steps(steppers_[stepper])) ? step : kNever;
}

void Evaluator::skip_to(std::uint64_t step) {
  next_ = kNever;
  for (std::size_t stepper = 0; stepper < steppers_.size(); ++stepper) {
    std::visit(
        [&](auto& any) {
          if constexpr (requires { any.skip_to(step); }) any.skip_to(step);
        },
        steppers_[stepper]);
    wait_for(stepper);
    next_ = std::min(next_, next_step_[stepper]);
  }
}

static std::uint64_t steady_until_of(const Stepper& stepper) {
  return std::visit(
      [](const auto& any) {
        if constexpr (requires { any.steady_until(); }) return any.steady_until();
        return any.next_step();
      },
      stepper);
}

std::uint64_t Evaluator::steady_until() const {
  std::uint64_t until = steps_;
  for (std::size_t stepper = 0; stepper < steppers_.size(); ++stepper) {
    until = std::min(until, next_step_[stepper] == next_ ? steady_until_of(steppers_[stepper]) : next_step_[stepper]);
  }
  return std::max(until, next_);
}

std::vector<Series> Evaluator::steady_series() const {
  std::vector<Series> out;
  for (std::size_t stepper = 0; stepper < steppers_.size(); ++stepper) {
    if (next_step_[stepper] != next_) {
      continue;
    }
    if (const auto* pruner = std::get_if<SparsityStepper>(&steppers_[stepper])) {
      out.push_back({stepper, pruner->track()});
    } else if (std::get<RateStepper>(steppers_[stepper]).moves_first_group()) {
      out.push_back({stepper, std::nullopt});
    }
  }
  return out;
}

void Evaluator::values_of(const Series& series, std::span<const double> epochs,
                          std::span<std::optional<double>> out) const {
  std::visit(
      [&](const auto& any) {
        if constexpr (requires { any.values_at(epochs, out); }) any.values_at(epochs, out);
      },
      steppers_[series.stepper]);
}

void Evaluator::move_to(std::uint64_t step) {
  for (std::size_t stepper = 0; stepper < steppers_.size(); ++stepper) {
    if (next_step_[stepper] != next_) {
      continue;
    }
    std::visit(
        [&](auto& any) {
          if constexpr (requires { any.move_to(step); }) any.move_to(step);
        },
        steppers_[stepper]);
    next_step_[stepper] = step;
  }
  next_ = step;
  advance();
}

void Evaluator::advance() {
  step_ = std::exchange(next_, kNever);
  state_.epoch = run_.epoch_of(step_);
  events_.clear();
  for (std::size_t stepper = 0; stepper < steppers_.size(); ++stepper) {
    while (next_step_[stepper] == step_) {
      std::visit([&](auto& any) { any.apply(state_, events_); }, steppers_[stepper]);
      wait_for(stepper);
    }
    next_ = std::min(next_, next_step_[stepper]);
  }
}

}  // namespace sparsecfg::timeline
