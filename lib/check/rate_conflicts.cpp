#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "base/number.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "check/check.h"

// Reports actions that change the same learning rate at the same time (SP5).
namespace sparsecfg::check {

using ir::Action;

// Returns the parameter groups of an effect. An empty list means all groups.
static ir::ParameterGroups groups_of(const ir::Effect& effect) {
  return std::visit(
      base::Overloaded{
          [](const base::AnyOf<ir::SetLearningRate, ir::LearningRateCurve, ir::SetWeightDecay> auto& one) {
            return one.groups;
          },
          [](const base::AnyOf<ir::EpochRange, ir::Prune, ir::HoldMask, ir::TorchScheduler, ir::Quantize,
                               ir::SetTrainable, ir::SetParameter, ir::Distill, ir::Opaque, ir::EpochScheduler,
                               ir::ThresholdPrune, ir::Regularize> auto&) { return ir::ParameterGroups(); },
      },
      effect);
}

static bool lasts(const Action& action) {
  return !std::holds_alternative<ir::SetLearningRate>(action.effect) && ir::moves_learning_rate(action.effect);
}

// Returns true if both actions step the same scheduler, so that they do not conflict.
static bool share_scheduler(const Action& a, const Action& b) {
  const auto* one = std::get_if<ir::EpochScheduler>(&a.effect);
  const auto* other = std::get_if<ir::EpochScheduler>(&b.effect);
  return one != nullptr && other != nullptr && one->number == other->number;
}

static double end_of(const Context& context, const Action& action) { return action.cadence.end_or(*context.epochs); }

// Windows in which actions change the learning rate, grouped by parameter group and sorted by start.
class RateWindows {
 public:
  explicit RateWindows(const Context& context) {
    for (const Action& action : context.recipe.actions) {
      if (lasts(action)) add(action, end_of(context, action));
    }
    for (auto& [group, windows] : by_group_) {
      std::ranges::stable_sort(windows, {}, &Window::start);
      for (std::size_t at = 1; at < windows.size(); ++at) {
        windows[at].longest = windows[windows[at - 1].longest].end < windows[at].end ? at : windows[at - 1].longest;
      }
    }
  }

  // Returns the action that started earlier, changes the same rates and is still active when `action` starts. Of
  // several such actions, returns the one that ends last. Returns null otherwise.
  [[nodiscard]] const Action* around(const Action& action) const {
    ir::ParameterGroups groups = groups_of(action.effect);
    groups.push_back(groups.empty() ? kAnyGroup : kAllGroups);
    const Window* found = nullptr;
    for (const std::int64_t group : groups) {
      const Window* window = longest_before(group, action.cadence.start.value);
      if (window != nullptr && (found == nullptr || found->end < window->end)) found = window;
    }
    return found == nullptr || found->end <= action.cadence.start.value ? nullptr : found->action;
  }

 private:
  // Special group numbers: every action is in `kAnyGroup`; actions for all groups are in `kAllGroups`.
  static constexpr std::int64_t kAnyGroup = INT64_MIN;
  static constexpr std::int64_t kAllGroups = INT64_MIN + 1;

  struct Window {
    const Action* action;
    double end;
    std::size_t longest = 0;  // index of the window that ends last among this one and all before it

    [[nodiscard]] double start() const { return action->cadence.start.value; }
  };

  void add(const Action& action, double end) {
    ir::ParameterGroups groups = groups_of(action.effect);
    if (groups.empty()) {
      groups.push_back(kAllGroups);
    }
    groups.push_back(kAnyGroup);
    for (const std::int64_t group : groups) {
      by_group_[group].push_back({&action, end});
    }
  }

  [[nodiscard]] const Window* longest_before(std::int64_t group, double start) const {
    const auto found = by_group_.find(group);
    if (found == by_group_.end()) {
      return nullptr;
    }
    const std::vector<Window>& windows = found->second;
    const auto later = std::ranges::lower_bound(windows, start, {}, &Window::start);
    return later == windows.begin() ? nullptr : &windows[std::prev(later)->longest];
  }

  std::map<std::int64_t, std::vector<Window>> by_group_;
};

static bool share_groups(const Action& a, const Action& b) {
  const ir::ParameterGroups mine = groups_of(a.effect);
  const ir::ParameterGroups theirs = groups_of(b.effect);
  return mine.empty() || theirs.empty() || std::ranges::any_of(mine, [&](std::int64_t group) {
           return std::ranges::find(theirs, group) != theirs.end();
         });
}

// Returns true for two actions of one class with the same end. Their order is reported elsewhere (SP503).
static bool is_tie(const Action& a, const Action& b) {
  return a.cadence.is<ir::SinceLastUpdate>() && a.origin.class_name == b.origin.class_name &&
         a.cadence.end.value == b.cadence.end.value && a.origin.stage == b.origin.stage;
}

// Returns true if one action sets the rate to the initial value of the other.
static bool agree(const Action& a, const Action& b) {
  const auto sets = [](const Action& one, const Action& other) {
    const auto* set = std::get_if<ir::SetLearningRate>(&one.effect);
    const auto* curve = std::get_if<ir::LearningRateCurve>(&other.effect);
    return set != nullptr && curve != nullptr && set->rate.value == curve->from.value;
  };
  return sets(a, b) || sets(b, a);
}

// Returns true if an epoch is a number in the file, so that it can be changed.
static bool has_written(const Action& action, const source::Located<double>& epoch) {
  return !epoch.span.empty() && action.origin.is_literal(epoch.span);
}

// Writes an epoch like the old value: Distiller accepts only ints.
static std::string epoch_text(double epoch, const source::Value& old) {
  const bool whole = old.get<std::int64_t>() != nullptr && epoch == std::floor(epoch);
  return whole ? fmt::format("{:.0f}", epoch) : base::python_repr(epoch);
}

// An edit that separates two windows: the new start or end of the longer one.
struct Separation {
  const Action* action = nullptr;  // null: none is known
  source::Located<double> field{};
  double epoch = 0;
};

// The longer window starts after a shorter one at its beginning (a warmup), or ends before a shorter one at its end.
// The result is unknown if both are equally long, or if one is in the middle of the other.
static Separation separation_of(const Context& context, const Action& one, const Action& two) {
  if (lasts(one) != lasts(two)) {  // a rate that is set once is meant to stay
    const Action& outer = lasts(one) ? one : two;
    const Action& set = lasts(one) ? two : one;
    const bool within = set.cadence.start.value > std::max(outer.cadence.start.value, 0.0);
    return within && has_written(outer, outer.cadence.end)
               ? Separation{&outer, outer.cadence.end, set.cadence.start.value}
               : Separation{};
  }
  if (!lasts(one)) return {};
  const auto start_of = [](const Action& action) { return std::max(action.cadence.start.value, 0.0); };
  const auto length_of = [&](const Action& action) { return end_of(context, action) - start_of(action); };
  const Action& outer = length_of(one) > length_of(two) ? one : two;
  const Action& inner = &outer == &one ? two : one;
  const bool opens = start_of(inner) <= start_of(outer) && end_of(context, inner) < end_of(context, outer);
  const bool closes = start_of(inner) > start_of(outer) && end_of(context, inner) >= end_of(context, outer);
  if (opens && has_written(outer, outer.cadence.start)) return {&outer, outer.cadence.start, end_of(context, inner)};
  if (closes && has_written(outer, outer.cadence.end)) return {&outer, outer.cadence.end, start_of(inner)};
  return {};
}

static std::string what_it_does(const Context& context, const Action& action) {
  return lasts(action) ? fmt::format("changes the rate until epoch {}", end_of(context, action))
                       : fmt::format("sets the rate at epoch {}", std::max(action.cadence.start.value, 0.0));
}

// Reports two actions at the one that should change, or else at the later one.
static void report_conflict(const Context& context, const Action& later, const Action& earlier, double epoch) {
  const Separation edit = separation_of(context, later, earlier);
  const Action& place = edit.action == nullptr ? later : *edit.action;
  const Action& other = &place == &later ? earlier : later;
  auto& report = context.sink.report(diag::lr_modifiers_overlap, place.origin.span, epoch);
  report.with_label(other.origin.span, what_it_does(context, other));
  if (later.origin.stage != earlier.origin.stage) report.not_beside(diag::stages_overlap);
  if (edit.action == nullptr) return;
  const ir::OriginField& field = *place.origin.whole_field_at(edit.field.span);
  const std::string text = epoch_text(edit.epoch, field.value);
  report.with_help(fmt::format("write `{}: {}`", base::last_part(field.name), text))
      .with_fix(diag::Fix::unsafe().replace(edit.field.span, text));
}

// Reports two actions that change the same rate from the same epoch on.
static void check_equal_starts(const Context& context, const RateWindows& windows) {
  std::map<double, std::vector<const Action*>> by_start;
  for (const Action& action : context.recipe.actions) {
    const double start = std::max(action.cadence.start.value, 0.0);
    if (ir::moves_learning_rate(action.effect) && start < *context.epochs) by_start[start].push_back(&action);
  }
  for (auto& [start, actions] : by_start) {
    std::ranges::stable_sort(actions, {}, [](const Action* action) { return action->origin.ordinal; });
    for (std::size_t at = 1; at < actions.size(); ++at) {
      const Action& first = *actions.front();
      const Action& action = *actions[at];
      if (!share_groups(first, action) || share_scheduler(first, action) || is_tie(first, action) ||
          agree(first, action) || windows.around(action) != nullptr) {
        continue;
      }
      report_conflict(context, action, first, start);
    }
  }
}

// Reports an action that changes the rate within the window of another one. Each action is reported once, together with
// the window that ends last.
void check_rate_conflicts(const Context& context) {
  if (!can_simulate(context)) {
    return;
  }
  const RateWindows windows(context);
  for (const Action& action : context.recipe.actions) {
    const double start = action.cadence.start.value;
    const bool moves = ir::moves_learning_rate(action.effect) && start < *context.epochs;
    const Action* other = moves ? windows.around(action) : nullptr;
    if (other != nullptr && !share_scheduler(*other, action)) {
      report_conflict(context, action, *other, start);
    }
  }
  check_equal_starts(context, windows);
}

}  // namespace sparsecfg::check
