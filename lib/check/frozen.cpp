#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/limits.h"
#include "base/number.h"
#include "check/check.h"
#include "ir/clock.h"
#include "ir/matching.h"
#include "ir/trigger.h"
#include "model/comparing.h"
#include "timeline/run.h"

// Reports parameters that are frozen when a mask is applied to them, or while they are pruned (SP712, SP714).
namespace sparsecfg::check {

using ir::Action;

namespace {

constexpr std::int64_t kNeverActs = INT64_MAX;
constexpr std::int64_t kBeforeTraining = -1;

bool applies_mask(const Action& action) {
  return acts_by_epochs(action) &&
         (std::holds_alternative<ir::Prune>(action.effect) || std::holds_alternative<ir::HoldMask>(action.effect));
}

// Returns the first step whose epoch is at least `epoch`. -1 means the first step.
std::int64_t step_of(double epoch, std::uint64_t steps_per_epoch) {
  const bool never = !(epoch >= 0 && epoch <= ir::kMaxEpochs) && epoch != -1;
  return never ? kNeverActs : static_cast<std::int64_t>(ir::first_step_at(epoch, steps_per_epoch));
}

// A change of the trainable state of parameters.
struct Change {
  std::int64_t step = 0;
  std::size_t action = 0;
  bool restores = false;
};

// Steps at which actions freeze parameters and restore their state.
class FreezePlan {
 public:
  FreezePlan(const ir::Recipe& recipe, std::uint64_t steps_per_epoch)
      : recipe_(recipe), steps_per_epoch_(steps_per_epoch) {
    for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
      const Action& action = recipe.actions[index];
      if (acts_by_epochs(action) && std::holds_alternative<ir::SetTrainable>(action.effect)) add(index);
    }
    std::ranges::stable_sort(changes_, {}, [](const Change& change) { return std::pair(change.step, change.action); });
  }

  // Returns the step in which an action starts.
  [[nodiscard]] std::int64_t start_of(std::size_t index) const {
    return step_of(recipe_.actions[index].cadence.start.value, steps_per_epoch_);
  }

  // Returns the action that has frozen a parameter when the action `mask` acts in a step, or null if the parameter is
  // trainable then. `applies` returns true for the index of an action that selects the parameter.
  [[nodiscard]] const Action* freezer_at(std::int64_t step, std::size_t mask, auto applies) const {
    std::vector<const Action*> before(recipe_.actions.size(), nullptr);  // freezer that each action has replaced
    const Action* freezer = nullptr;
    for (const Change& change : changes_) {
      if (std::pair(change.step, change.action) >= std::pair(step, mask)) {
        break;
      }
      if (!applies(change.action)) {
        continue;
      }
      const Action& action = recipe_.actions[change.action];
      if (change.restores) {
        freezer = before[change.action];
      } else {
        before[change.action] = freezer;
        freezer = std::get<ir::SetTrainable>(action.effect).trainable ? nullptr : &action;
      }
    }
    return freezer;
  }

  // Returns true if the action starts before the training of `epochs` epochs ends.
  [[nodiscard]] bool starts(std::size_t index, const std::optional<double>& epochs) const {
    const std::int64_t step = step_of(recipe_.actions[index].cadence.start.value, steps_per_epoch_);
    const bool within =
        !epochs || *epochs <= 0 || step < static_cast<std::int64_t>(ir::steps_of(*epochs, steps_per_epoch_));
    return step != kNeverActs && within;
  }

 private:
  // Actions at epoch <= 0 apply before training or in the first step. An action that ends in its start step is never
  // undone.
  void add(std::size_t index) {
    const ir::Cadence& cadence = recipe_.actions[index].cadence;
    const bool before = !std::get<ir::SetTrainable>(recipe_.actions[index].effect).in_first_step;
    const std::int64_t start = step_of(cadence.start.value, steps_per_epoch_);
    if (start == kNeverActs) {
      return;
    }
    changes_.push_back({before && cadence.start.value <= 0 ? kBeforeTraining : start, index, false});
    const std::int64_t end = step_of(cadence.end.value, steps_per_epoch_);
    if (end != kNeverActs && end > start) {
      changes_.push_back({end, index, true});
    }
  }

  const ir::Recipe& recipe_;
  std::uint64_t steps_per_epoch_;
  std::vector<Change> changes_;
};

class FrozenCheck {
 public:
  explicit FrozenCheck(const Context& context) : context_(context), recipe_(context.recipe) {
    for (std::size_t index = 0; index < recipe_.actions.size(); ++index) {
      const Action& action = recipe_.actions[index];
      if (!acts_by_epochs(action)) continue;
      if (const auto* set = std::get_if<ir::SetTrainable>(&action.effect)) {
        freezers_.push_back(index);
        thaws_ = thaws_ || set->trainable;
      } else if (applies_mask(action)) {
        masks_.push_back(index);
      }
    }
  }

  void check() {
    for (const std::size_t mask : masks_) {
      if (freezers_.empty()) return;
      const Action* freezer = freezer_of(mask);
      if (freezer != nullptr) {
        context_.sink
            .report(diag::mask_on_frozen, recipe_.actions[mask].origin.span, recipe_.actions[mask].origin.class_name,
                    at_update_ ? "needs gradients of" : "masks")
            .with_label(freezer->origin.span, "parameters are frozen here")
            .with_help(at_update_ ? "select only parameters that are not frozen; the update needs gradients"
                                  : "start this modifier before the parameters are frozen, or do not select them");
      } else {
        warn_of_overlap(mask);
      }
    }
  }

 private:
  // Steps per epoch to try if the number is unknown. A finding is reported only if it applies to all of them.
  static constexpr std::array<std::uint64_t, 4> kAnySteps{1, 2, 7, 1000};

  [[nodiscard]] std::vector<std::uint64_t> steps_to_try() const {
    return context_.steps_per_epoch ? std::vector<std::uint64_t>{*context_.steps_per_epoch}
                                    : std::vector<std::uint64_t>(kAnySteps.begin(), kAnySteps.end());
  }

  // Returns the action that has certainly frozen a parameter that the mask is applied to or updated by, or null.
  [[nodiscard]] const Action* freezer_of(std::size_t mask) {
    const Action* freezer = nullptr;
    for (const std::uint64_t steps_per_epoch : steps_to_try()) {
      const FreezePlan plan(recipe_, steps_per_epoch);
      freezer = plan.starts(mask, context_.epochs) ? freezer_in(plan, mask, plan.start_of(mask)) : nullptr;
      at_update_ = freezer == nullptr;
      if (freezer == nullptr) freezer = freezer_at_updates(plan, mask, steps_per_epoch);
      if (freezer == nullptr) return nullptr;
    }
    return freezer;
  }

  [[nodiscard]] const Action* freezer_in(const FreezePlan& plan, std::size_t mask, std::int64_t step) {
    return context_.parameters != nullptr ? freezer_in_model(plan, mask, step) : freezer_in_any_model(plan, mask, step);
  }

  // Like `freezer_of`, for pruners that rank weights by gradients and need them at each update.
  [[nodiscard]] const Action* freezer_at_updates(const FreezePlan& plan, std::size_t mask,
                                                 std::uint64_t steps_per_epoch) {
    const Action& action = recipe_.actions[mask];
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    if (prune == nullptr || (prune->criterion != "obs" && prune->criterion != "gradient")) {
      return nullptr;
    }
    const timeline::Run run{steps_per_epoch, epochs_or_max(context_), std::nullopt, nullptr, nullptr};
    ir::Trigger trigger(action.cadence, run.steps_per_epoch);
    std::size_t count = 0;
    for (ir::Tick tick = trigger.next(); count < limits::kMaxFrozenUpdates && tick.step < run.steps();
         tick = trigger.next()) {
      const Action* freezer = freezer_in(plan, mask, static_cast<std::int64_t>(tick.step));
      if (freezer != nullptr) return freezer;
      ++count;
    }
    return nullptr;
  }

  // Returns for each parameter whether an action selects it. Computed once per action.
  [[nodiscard]] const std::vector<bool>& selected(std::size_t index) {
    selected_.resize(recipe_.actions.size());
    std::vector<bool>& all = selected_[index];
    if (!all.empty()) {
      return all;
    }
    all.resize(context_.parameters->size(), false);
    for (const model::Selector* selector : ir::selectors_of(recipe_.actions[index].effect)) {
      const std::vector<bool> one = model::matched_names(*selector, *context_.parameters);
      for (std::size_t at = 0; at < all.size(); ++at) all[at] = all[at] || one[at];
    }
    return all;
  }

  // Returns false if it is unknown whether the mask applies to a parameter. `__ALL_PRUNABLE__` depends on the layer
  // type, which only the shape of a weight shows.
  [[nodiscard]] bool is_certain(std::size_t mask, std::size_t parameter) const {
    const auto selectors = ir::selectors_of(recipe_.actions[mask].effect);
    const bool by_type = std::ranges::any_of(selectors, [](const model::Selector* selector) {
      return std::ranges::any_of(selector->terms,
                                 [](const model::Term& term) { return term.kind == model::Term::Kind::all_prunable; });
    });
    return !by_type || context_.parameters->shape(parameter) != nullptr;
  }

  [[nodiscard]] const Action* freezer_in_model(const FreezePlan& plan, std::size_t mask, std::int64_t step) {
    const std::vector<bool> masked = selected(mask);
    const Action* possible = nullptr;
    bool all = true;  // every parameter that the mask may apply to is frozen
    for (std::size_t at = 0; at < masked.size(); ++at) {
      if (!masked[at]) continue;
      const Action* freezer = plan.freezer_at(step, mask, [&](std::size_t index) { return selected(index)[at]; });
      if (freezer != nullptr && is_certain(mask, at)) return freezer;
      possible = freezer != nullptr ? freezer : possible;
      all = all && freezer != nullptr;
    }
    return all ? possible : nullptr;
  }

  [[nodiscard]] const Action* freezer_in_any_model(const FreezePlan& plan, std::size_t mask, std::int64_t step) {
    if (thaws_) return nullptr;
    for (const std::size_t index : freezers_) {
      const Action* freezer = plan.freezer_at(step, mask, [&](std::size_t other) { return other == index; });
      if (freezer != nullptr && certainly_share(index, mask)) return freezer;
    }
    return nullptr;
  }

  // Returns true if both actions certainly select a common parameter. Every selector must match something, so it is
  // enough that one contains a term of the other.
  [[nodiscard]] bool certainly_share(std::size_t freezer, std::size_t mask) {
    const auto& set = std::get<ir::SetTrainable>(recipe_.actions[freezer].effect);
    return std::ranges::any_of(ir::selectors_of(recipe_.actions[mask].effect), [&](const model::Selector* selector) {
      return contains_a_term(set.selector, *selector) ||
             (set.selector.strict && contains_a_term(*selector, set.selector));
    });
  }

  [[nodiscard]] bool contains_a_term(const model::Selector& whole, const model::Selector& parts) {
    const model::Selection selection(whole);
    return std::ranges::any_of(parts.terms, [&](const model::Term& term) {
      const bool same = std::ranges::find(whole.terms, term) != whole.terms.end();
      return same || model::contains(selection, {term, parts.over}, budget_).answer == regex::Comparison::Answer::yes;
    });
  }

  [[nodiscard]] bool share(std::size_t freezer, std::size_t mask) {
    if (context_.parameters == nullptr) return certainly_share(freezer, mask);
    const std::vector<bool> frozen = selected(freezer);
    const std::vector<bool> masked = selected(mask);
    for (std::size_t at = 0; at < masked.size(); ++at) {
      if (frozen[at] && masked[at] && is_certain(mask, at)) return true;
    }
    return false;
  }

  // Warns about parameters that are frozen while they are pruned. Frozen weights cannot recover from pruning.
  void warn_of_overlap(std::size_t mask) {
    const Action& action = recipe_.actions[mask];
    if (!std::holds_alternative<ir::Prune>(action.effect)) return;
    const double mask_end = action.cadence.end.value;
    for (const std::size_t index : freezers_) {
      const Action& freezer = recipe_.actions[index];
      const double start = freezer.cadence.start.value;
      const double end = freezer.cadence.end.value;
      const bool meets = start < mask_end && end > action.cadence.start.value;
      if (!std::get<ir::SetTrainable>(freezer.effect).trainable && meets && share(index, mask)) {
        auto& report = context_.sink.report(diag::frozen_while_pruned, freezer.origin.span);
        report.with_label(action.origin.span, "pruned here at the same time")
            .with_help("freeze the parameters before the pruner starts or after it ends");
        const bool later = start > action.cadence.start.value && mask_end < std::min(end, epochs_or_max(context_));
        if (later && !freezer.cadence.start.span.empty())
          advise_value(report, freezer, freezer.cadence.start.span, base::python_repr(mask_end),
                       ", where the pruning ends");
        return;
      }
    }
  }

  const Context& context_;
  const ir::Recipe& recipe_;
  std::vector<std::size_t> freezers_;        // actions that freeze or unfreeze parameters
  std::vector<std::size_t> masks_;           // actions that apply masks
  bool at_update_ = false;                   // true if the last freezer was found at an update after the start
  bool thaws_ = false;                       // true if any action makes parameters trainable
  std::vector<std::vector<bool>> selected_;  // by action; empty until computed
  base::Budget budget_ = regex::comparison_budget(2'000'000);
};

}  // namespace

void check_frozen_parameters(const Context& context) { FrozenCheck(context).check(); }

}  // namespace sparsecfg::check
