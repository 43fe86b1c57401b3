#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "check/check.h"
#include "ir/clock.h"
#include "timeline/overview.h"

// What shows only when the run is followed: ends that never come, updates that drift, rates
// that meet (SP2, SP3, SP5).
namespace sparsecfg::check {

using ir::Action;

// Following a run costs the product of its changes and its actions; this much is a fraction of a
// second, and more than any real recipe needs.
static std::uint64_t most_changes(const Context& context) {
  constexpr std::uint64_t kMaxWork = 4'000'000;
  return kMaxWork / (context.recipe.actions.size() + 1);
}

static bool known(const Context& context) { return context.epochs && *context.epochs > 0; }

// --- ends that never come -----------------------------------------------------------------------

static const ir::Ramp* ramp_of(const Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  return prune == nullptr ? nullptr : std::get_if<ir::Ramp>(&prune->curve);
}

// Training ends before the first step of epoch `epochs`, so an end that is due there never comes.
static bool ends_with_training(const Context& context, const Action& action) {
  const double end = action.cadence.end.value;
  return end >= *context.epochs && action.cadence.start.value < *context.epochs && end > action.cadence.start.value;
}

// A sparsity with four digits, or as many as tell it from another one.
static std::string apart_from(double other, double sparsity) {
  for (int digits = 4; digits < 17; ++digits) {
    const std::string text = fmt::format("{:.{}g}", sparsity, digits);
    if (text != fmt::format("{:.{}g}", other, digits)) return text;
  }
  return base::python_repr(sparsity);
}

static void report_unreached(const Context& context, const Action& action, const ir::Target& target,
                             const std::optional<double>& reached) {
  const auto& length = context.recipe.length;
  auto& report = context.sink.report(diag::final_update_unreachable, target.sparsity.span,
                                     base::python_repr(target.sparsity.value));
  report.with_caret(reached ? fmt::format("the last update before epoch {} applies {}", *context.epochs,
                                          apart_from(target.sparsity.value, *reached))
                            : fmt::format("the last update comes before epoch {}", *context.epochs));
  report.with_help("end the training at least one step later, or this modifier earlier");
  if (length && length->epochs == *context.epochs && length->action < context.recipe.actions.size() &&
      &context.recipe.actions[length->action] != &action) {
    report.with_label(length->span, "training ends here");
  } else {
    report.with_label(action.cadence.end.span, "the end, where training ends too");
  }
}

// Returns true if the recipe prunes and does nothing else, in one epoch at most: such recipes are applied to a trained
// model in one shot, at an epoch past every end, so that the final sparsity is reached.
static bool is_one_shot(const Context& context) {
  return *context.epochs <= 1 && std::ranges::all_of(context.recipe.actions, [](const Action& action) {
    return std::holds_alternative<ir::Prune>(action.effect) || std::holds_alternative<ir::HoldMask>(action.effect);
  });
}

static void check_ends(const Context& context, const timeline::Overview* overview) {
  if (is_one_shot(context)) {
    return;
  }
  for (std::size_t index = 0; index < context.recipe.actions.size(); ++index) {
    const Action& action = context.recipe.actions[index];
    const ir::Ramp* ramp = action.valid ? ramp_of(action) : nullptr;
    if (ramp == nullptr || !ends_with_training(context, action)) {
      continue;
    }
    const auto& targets = std::get<ir::Prune>(action.effect).targets;
    for (std::size_t at = 0; at < targets.size(); ++at) {
      if (ramp->from && ramp->from->value == targets[at].sparsity.value) {
        continue;
      }
      std::optional<double> reached;
      for (std::size_t column = 0; overview != nullptr && column < overview->columns.size(); ++column) {
        const timeline::Column& candidate = overview->columns[column];
        if (candidate.action == index && candidate.target == at) reached = overview->reached[column];
      }
      if (reached != targets[at].sparsity.value) {
        report_unreached(context, action, targets[at], reached);
      }
    }
  }
}

// --- drift ----------------------------------------------------------------------------------------

// Returns true if a number stands in the file as it is.
static bool is_written(const Action& action, const ir::Located<double>& number) {
  const ir::OriginField* field = action.origin.find("update_frequency");
  return field != nullptr && field->value.span == number.span && !field->evaluated;
}

// Updates that fall behind, one finding for all modifiers whose numbers are the same: a recipe may give hundreds of
// layers a modifier each.
class Drifts {
 public:
  void add(const Action& action, const timeline::Run& run, std::uint64_t happened, std::uint64_t wanted) {
    const auto [found, added] = found_.try_emplace({action.cadence.every->value, happened, wanted}, Drift{&action, 0});
    if (added) {
      order_.push_back(&*found);
    } else {
      ++found->second.more;
    }
    steps_per_epoch_ = run.steps_per_epoch;
  }

  void report(const Context& context) const {
    for (const auto* each : order_) {
      const auto& [every, happened, wanted] = each->first;
      const auto& [action, more] = each->second;
      auto& report = context.sink.report(diag::frequency_drifts, action->cadence.every->span, happened, wanted);
      report.with_help(advice(every));
      if (more > 0) {
        report.with_caret("the same in " + base::counted(more, "more modifier"));
      }
    }
  }

 private:
  using Numbers = std::tuple<double, std::uint64_t, std::uint64_t>;

  struct Drift {
    const Action* action;  // the first one
    std::size_t more;      // that have the same numbers
  };

  // With half a step less than a whole number of steps, rounding moves the epoch neither too early nor too late.
  std::string advice(double every) const {
    const double steps = std::max(1.0, std::round(every * static_cast<double>(steps_per_epoch_)));
    return steps == 1 ? "write `-1.0` for an update at every step"
                      : fmt::format("write `{:.6g}`, half a step less than {} steps, so that rounding skips none",
                                    (steps - 0.5) / static_cast<double>(steps_per_epoch_), steps);
  }

  std::map<Numbers, Drift> found_;
  std::vector<const std::pair<const Numbers, Drift>*> order_;
  std::uint64_t steps_per_epoch_ = 1;
};

static void check_drift(const Context& context, const timeline::Run& run, const Action& action,
                        const timeline::Overview::Phase& phase, Drifts& drifts) {
  const auto& every = action.cadence.every;
  if (!every || every->value <= 0 || !phase.start || action.cadence.kind != ir::Cadence::Kind::since_last_update ||
      every->span.empty()) {
    return;
  }
  const double step = 1.0 / static_cast<double>(run.steps_per_epoch);
  if (every->value < step) {
    context.sink
        .report(diag::frequency_below_one_step, every->span, base::python_repr(every->value), run.steps_per_epoch)
        .with_help("write `-1.0`")
        .with_fix(is_written(action, *every) ? diag::Fix::safe().replace(every->span, "-1.0") : diag::Fix());
    return;
  }
  const double begin = run.epoch_of(*phase.start);
  const double end = action.cadence.end.value >= 0 ? std::min(action.cadence.end.value, run.epochs) : run.epochs;
  const double wanted = std::ceil((end - begin) / every->value - 1e-9);
  const double happened = static_cast<double>(phase.updates) - (phase.end ? 1 : 0);
  const bool moves = std::holds_alternative<ir::Prune>(action.effect) && phase.updates > 1;
  if (moves && happened < wanted) {
    drifts.add(action, run, static_cast<std::uint64_t>(happened), static_cast<std::uint64_t>(wanted));
  }
}

// --- learning rate ----------------------------------------------------------------------------------

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
static void check_rate_conflicts(const Context& context) {
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

// Two windows that touch with rates more than ten times apart.
static void check_rate_jumps(const Context& context, const timeline::Run& run) {
  timeline::Evaluator evaluator(context.recipe, run);
  for (std::uint64_t changes = 0; evaluator.next_step() != timeline::kNever && changes < most_changes(context);
       ++changes) {
    const auto before = evaluator.optimizer().groups().front().rate;
    evaluator.advance();
    const auto after = evaluator.optimizer().groups().front().rate;
    if (!before || !after || *before <= 0 || *after <= 0 || std::max(*before / *after, *after / *before) <= 10) {
      continue;
    }
    for (const timeline::Event& event : evaluator.events()) {
      const Action& action = context.recipe.actions[event.action];
      if (event.kind == timeline::Event::Kind::start && ir::moves_learning_rate(action.effect)) {
        context.sink.report(diag::lr_jump, action.origin.span, base::python_repr(*before), base::python_repr(*after),
                            run.epoch_of(evaluator.step()));
        break;
      }
    }
  }
}

void check_run(const Context& context) {
  const bool valid = std::ranges::all_of(context.recipe.actions, &Action::valid);
  if (!known(context) || !valid || !context.recipe.has_timeline()) {
    return;
  }
  check_rate_conflicts(context);
  if (!context.steps_per_epoch) {
    check_ends(context, nullptr);
    return;
  }
  const timeline::Run run{*context.steps_per_epoch, *context.epochs, std::nullopt, context.parameters, context.modules};
  const timeline::Overview overview = timeline::survey(context.recipe, run, most_changes(context));
  check_ends(context, overview.complete ? &overview : nullptr);
  Drifts drifts;
  for (std::size_t index = 0; overview.complete && index < context.recipe.actions.size(); ++index) {
    check_drift(context, run, context.recipe.actions[index], overview.phases[index], drifts);
  }
  drifts.report(context);
  check_rate_jumps(context, run);
}

}  // namespace sparsecfg::check
