#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "base/overloaded.h"
#include "check/check.h"

// Actions that move the same learning rate at the same time (SP5).
namespace sparsecfg::check {

using ir::Action;

// The parameter groups that an effect names; empty where it is for all of them.
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

// Actions that step one scheduler agree on the rate.
static bool share_scheduler(const Action& a, const Action& b) {
  const auto* one = std::get_if<ir::EpochScheduler>(&a.effect);
  const auto* other = std::get_if<ir::EpochScheduler>(&b.effect);
  return one != nullptr && other != nullptr && one->number == other->number;
}

static double end_of(const Context& context, const Action& action) {
  return action.cadence.end.value < 0 ? *context.epochs : action.cadence.end.value;
}

// Actions that move the rate over a time, by parameter group and start.
class RateCourses {
 public:
  explicit RateCourses(const Context& context) {
    for (const Action& action : context.recipe.actions) {
      if (lasts(action)) add(action, end_of(context, action));
    }
    for (auto& [group, courses] : by_group_) {
      std::ranges::stable_sort(courses, {}, &Course::start);
      for (std::size_t at = 1; at < courses.size(); ++at) {
        courses[at].longest = courses[courses[at - 1].longest].end < courses[at].end ? at : courses[at - 1].longest;
      }
    }
  }

  // Of those that began before an action, move the same rates and have not ended when it starts, the one that ends
  // last; null where there is none.
  [[nodiscard]] const Action* around(const Action& action) const {
    ir::ParameterGroups groups = groups_of(action.effect);
    groups.push_back(groups.empty() ? kAnyGroup : kAllGroups);
    const Course* found = nullptr;
    for (const std::int64_t group : groups) {
      const Course* course = longest_before(group, action.cadence.start.value);
      if (course != nullptr && (found == nullptr || found->end < course->end)) found = course;
    }
    return found == nullptr || found->end <= action.cadence.start.value ? nullptr : found->action;
  }

 private:
  // Instead of a group: whatever an action names, and that it names none.
  static constexpr std::int64_t kAnyGroup = INT64_MIN;
  static constexpr std::int64_t kAllGroups = INT64_MIN + 1;

  struct Course {
    const Action* action;
    double end;
    std::size_t longest = 0;  // the place of the one that ends last of all up to here

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

  [[nodiscard]] const Course* longest_before(std::int64_t group, double start) const {
    const auto found = by_group_.find(group);
    if (found == by_group_.end()) {
      return nullptr;
    }
    const std::vector<Course>& courses = found->second;
    const auto later = std::ranges::lower_bound(courses, start, {}, &Course::start);
    return later == courses.begin() ? nullptr : &courses[std::prev(later)->longest];
  }

  std::map<std::int64_t, std::vector<Course>> by_group_;
};

static bool share_groups(const Action& a, const Action& b) {
  const ir::ParameterGroups mine = groups_of(a.effect);
  const ir::ParameterGroups theirs = groups_of(b.effect);
  return mine.empty() || theirs.empty() || std::ranges::any_of(mine, [&](std::int64_t group) {
           return std::ranges::find(theirs, group) != theirs.end();
         });
}

// Two of one class with the same window: their order is said where it is found out (SP503).
static bool is_tie(const Action& a, const Action& b) {
  return a.cadence.kind == ir::Cadence::Kind::since_last_update && a.origin.class_name == b.origin.class_name &&
         a.cadence.end.value == b.cadence.end.value && a.origin.stage == b.origin.stage;
}

// A rate that is set to what a course begins with.
static bool agree(const Action& a, const Action& b) {
  const auto sets = [](const Action& one, const Action& other) {
    const auto* set = std::get_if<ir::SetLearningRate>(&one.effect);
    const auto* curve = std::get_if<ir::LearningRateCurve>(&other.effect);
    return set != nullptr && curve != nullptr && set->rate.value == curve->from.value;
  };
  return sets(a, b) || sets(b, a);
}

// Two actions that move the same rate from the same epoch on.
static void check_equal_starts(const Context& context, const RateCourses& courses) {
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
          agree(first, action) || courses.around(action) != nullptr) {
        continue;
      }
      context.sink.report(diag::lr_modifiers_overlap, action.origin.span, start)
          .with_label(first.origin.span, lasts(first)
                                             ? fmt::format("this one moves it until epoch {}", end_of(context, first))
                                             : "this one sets it in the same step");
    }
  }
}

// An action that moves the rate over a time, and another that moves it within that time. Reported once for each place,
// with the one that lasts longest.
void check_rate_conflicts(const Context& context) {
  if (!can_be_followed(context)) {
    return;
  }
  const RateCourses courses(context);
  for (const Action& action : context.recipe.actions) {
    const double start = action.cadence.start.value;
    const bool moves = ir::moves_learning_rate(action.effect) && start < *context.epochs;
    const Action* other = moves ? courses.around(action) : nullptr;
    if (other != nullptr && !share_scheduler(*other, action)) {
      context.sink.report(diag::lr_modifiers_overlap, action.origin.span, start)
          .with_label(other->origin.span, fmt::format("this one moves it until epoch {}", end_of(context, *other)));
    }
  }
  check_equal_starts(context, courses);
}

}  // namespace sparsecfg::check
