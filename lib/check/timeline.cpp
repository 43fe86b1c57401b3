#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "check/check.h"
#include "ir/clock.h"
#include "timeline/overview.h"

// Reports problems that only a simulation of the run shows: final sparsities that are never reached, updates that
// drift, and jumps of the learning rate (SP2, SP3, SP5).
namespace sparsecfg::check {

using ir::Action;

// Returns the maximum number of changes to simulate. The limit is more than real recipes need.
static std::uint64_t max_changes(const Context& context) {
  return limits::kMaxSimulated / (context.recipe.actions.size() + 1);
}

// --- final sparsities that are never reached ----------------------------------------------------

static const ir::Ramp* ramp_of(const Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  return prune == nullptr ? nullptr : std::get_if<ir::Ramp>(&prune->curve);
}

// Returns true if the action ends with or after the training. Training ends before the first step of epoch `epochs`, so
// such an end is never reached.
static bool ends_with_training(const Context& context, const Action& action) {
  const double end = action.cadence.end.value;
  return action.cadence.ends() && end >= *context.epochs && action.cadence.start.value < *context.epochs &&
         end > action.cadence.start.value;
}

// Formats a sparsity with at least four digits, and enough to distinguish it from another one.
static std::string distinct_from(double other, double sparsity) {
  for (int digits = 4; digits < 17; ++digits) {
    const std::string text = fmt::format("{:.{}g}", sparsity, digits);
    if (text != fmt::format("{:.{}g}", other, digits)) return text;
  }
  return base::python_repr(sparsity);
}

// Returns true if SP201 already reports that the action ends later than the training was meant to.
static bool is_outlasting(std::optional<double> outlasted, const Action& action) {
  return outlasted && action.cadence.end.value > *outlasted;
}

// Returns an end before the last step of the training: one epoch earlier, or in the middle of a short window.
static double reachable_end(const Context& context, const Action& action) {
  const double start = std::max(action.cadence.start.value, 0.0);
  const double earlier = std::ceil(*context.epochs) - 1;
  return earlier > start ? earlier : (start + *context.epochs) / 2;
}

static std::string advice_on_end(const Context& context, const Action& action) {
  const ir::OriginField* field = action.origin.whole_field_at(action.cadence.end.span);
  const double needed = std::floor(action.cadence.end.value) + 1;
  const std::string longer = fmt::format("train until epoch {}", needed);
  const std::string end = base::python_repr(reachable_end(context, action));
  const auto& length = context.recipe.length;
  const bool is_own = !length || length->action >= context.recipe.actions.size() ||
                      &context.recipe.actions[length->action] == &action;  // an earlier end shortens the training
  return field == nullptr || field->evaluated || is_own
             ? fmt::format("end this modifier at epoch {}, or {}", end, longer)
             : fmt::format("write `{}: {}`, or {}", base::last_part(field->name), end, longer);
}

static void report_unreached(const Context& context, const Action& action, const ir::Target& target,
                             const std::optional<double>& reached) {
  const auto& length = context.recipe.length;
  auto& report = context.sink.report(diag::final_update_unreachable, target.sparsity.span,
                                     base::python_repr(target.sparsity.value));
  report.with_caret(reached ? fmt::format("the last update before epoch {} applies {}", *context.epochs,
                                          distinct_from(target.sparsity.value, *reached))
                            : fmt::format("the last update is before epoch {}", *context.epochs));
  report.with_help(advice_on_end(context, action));
  if (length && length->epochs == *context.epochs && length->action < context.recipe.actions.size() &&
      &context.recipe.actions[length->action] != &action) {
    report.with_label(length->span, "training ends here");
  } else {
    const bool same = action.cadence.end.value == *context.epochs;
    report.with_label(action.cadence.end.span,
                      same ? fmt::format("{} also ends here", context.run)
                           : fmt::format("{} ends before, at epoch {}", context.run, *context.epochs));
  }
}

// Returns true if the recipe only prunes, in at most one epoch. Such recipes are applied to a trained model in one
// shot, at an epoch past every end, so the final sparsity is reached.
static bool is_one_shot(const Context& context) {
  return *context.epochs <= 1 && std::ranges::all_of(context.recipe.actions, [](const Action& action) {
    return std::holds_alternative<ir::Prune>(action.effect) || std::holds_alternative<ir::HoldMask>(action.effect);
  });
}

static void check_ends(const Context& context, const timeline::Overview* overview) {
  if (is_one_shot(context)) {
    return;
  }
  const std::optional<double> outlasted = outlasted_range(context);
  for (std::size_t index = 0; index < context.recipe.actions.size(); ++index) {
    const Action& action = context.recipe.actions[index];
    const ir::Ramp* ramp = action.valid ? ramp_of(action) : nullptr;
    if (ramp == nullptr || !ends_with_training(context, action) || is_outlasting(outlasted, action)) {
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

// --- updates that drift ----------------------------------------------------------------------------------------------

// Collects updates that drift. Reports one finding for all modifiers with the same numbers, because a recipe may have
// hundreds of modifiers, one per layer.
class Drifts {
 public:
  void add(const Action& action, const timeline::Run& run, std::uint64_t happened, std::uint64_t wanted) {
    const auto [found, added] =
        found_.try_emplace({action.cadence.every()->value, happened, wanted}, Drift{&action, 0});
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
      if (is_between_steps(every)) continue;
      auto& report = context.sink.report(diag::frequency_drifts, action->cadence.every()->span, happened, wanted);
      report.with_help(advice(every));
      if (more > 0) {
        report.with_caret("also in " + base::counted(more, "more modifier"));
      }
    }
  }

 private:
  using Numbers = std::tuple<double, std::uint64_t, std::uint64_t>;

  struct Drift {
    const Action* action;  // first modifier
    std::size_t more;      // number of other modifiers with the same numbers
  };

  // Returns true for a frequency that advice() recommends.
  bool is_between_steps(double every) const {
    const double steps = every * static_cast<double>(steps_per_epoch_) + 0.5;
    return std::abs(steps - std::round(steps)) < 1e-3;
  }

  // Recommends half a step less than a whole number of steps, so that rounding cannot shift an update.
  std::string advice(double every) const {
    const double steps = std::max(1.0, std::round(every * static_cast<double>(steps_per_epoch_)));
    return steps == 1 ? "write `-1.0` to update at every step"
                      : fmt::format("write `{:.6g}` (half a step less than {} steps) so that rounding skips no update",
                                    (steps - 0.5) / static_cast<double>(steps_per_epoch_), steps);
  }

  std::map<Numbers, Drift> found_;
  std::vector<const std::pair<const Numbers, Drift>*> order_;
  std::uint64_t steps_per_epoch_ = 1;
};

static void check_drift(const Context& context, const timeline::Run& run, const Action& action,
                        const timeline::Overview::Phase& phase, Drifts& drifts) {
  const auto* every = action.cadence.every();
  if (every == nullptr || every->value <= 0 || !phase.start || !action.cadence.is<ir::SinceLastUpdate>() ||
      every->span.empty()) {
    return;
  }
  const double step = 1.0 / static_cast<double>(run.steps_per_epoch);
  if (every->value < step) {
    context.sink
        .report(diag::frequency_below_one_step, every->span, base::python_repr(every->value), run.steps_per_epoch)
        .with_help("write `-1.0`")
        .with_fix(action.origin.is_literal(every->span) ? diag::Fix::safe().replace(every->span, "-1.0") : diag::Fix());
    return;
  }
  const double begin = run.epoch_of(*phase.start);
  const double end = std::min(action.cadence.end.value, run.epochs);
  const double wanted = std::ceil((end - begin) / every->value - 1e-9);
  const double happened = static_cast<double>(phase.updates) - (phase.end ? 1 : 0);
  // Other curves compute masks of the same sparsity again, which are no changes of it.
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  const bool moves =
      prune != nullptr && !std::holds_alternative<ir::ForwardBackward>(prune->curve) && phase.updates > 1;
  if (moves && happened < wanted) {
    drifts.add(action, run, static_cast<std::uint64_t>(happened), static_cast<std::uint64_t>(wanted));
  }
}

// --- jumps of the learning rate ---------------------------------------------------------------

// Skips at most `max` changes in which no action starts. Returns the number of skipped changes.
static std::uint64_t skip_updates(timeline::Evaluator& evaluator, std::uint64_t max) {
  const std::uint64_t next = evaluator.next_step();
  const std::uint64_t count = std::min(evaluator.steady_until() - next, max);
  if (count > 0) {
    evaluator.move_to(next + count - 1);
  }
  return count;
}

// Reports a start at which the rate changes by more than a factor of ten.
static void check_rate_jumps(const Context& context, const timeline::Run& run) {
  timeline::Evaluator evaluator(context.recipe, run);
  std::uint64_t left = max_changes(context);
  while (evaluator.next_step() != timeline::kNever && left > 0) {
    if (const std::uint64_t skipped = skip_updates(evaluator, left); skipped > 0) {
      left -= skipped;
      continue;
    }
    --left;
    const auto before = evaluator.optimizer().groups().front().rate;
    evaluator.advance();
    const auto after = evaluator.optimizer().groups().front().rate;
    if (!before || !after || *before <= 0 || *after <= 0 || std::max(*before / *after, *after / *before) <= 10) {
      continue;
    }
    for (const timeline::Event& event : evaluator.events()) {
      const Action& action = context.recipe.actions[event.action];
      if (event.kind == timeline::Event::Kind::start && ir::moves_learning_rate(action.effect)) {
        context.sink.report(diag::lr_jump, action.origin.span, fmt::format("{:.3g}", *before),
                            fmt::format("{:.3g}", *after), run.epoch_of(evaluator.step()));
        break;
      }
    }
  }
}

void check_run(const Context& context) {
  if (!can_simulate(context)) {
    return;
  }
  if (!context.steps_per_epoch) {
    check_ends(context, nullptr);
    return;
  }
  const timeline::Run run{*context.steps_per_epoch, *context.epochs, std::nullopt, context.parameters, context.modules};
  const timeline::Overview overview = timeline::survey(context.recipe, run, max_changes(context));
  check_ends(context, overview.complete ? &overview : nullptr);
  Drifts drifts;
  for (std::size_t index = 0; overview.complete && index < context.recipe.actions.size(); ++index) {
    check_drift(context, run, context.recipe.actions[index], overview.phases[index], drifts);
  }
  drifts.report(context);
  check_rate_jumps(context, run);
}

}  // namespace sparsecfg::check
