#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "check/check.h"

// Reports schedulers whose rate moves in another direction than usual: factors above 1 or close to 1, and cosines that
// are shorter or longer than their window (SP3, SP5).
namespace sparsecfg::check {

using ir::Action;

namespace {

// A number of an argument of a scheduler and its place.
struct Argument {
  double value = 0;
  source::Span span;
  bool literal = false;
};

// Returns an argument of the scheduler of an action: a field, or an entry of `lr_kwargs`.
std::optional<Argument> argument_of(const Action& action, std::string_view name) {
  const ir::OriginField* arguments = action.origin.find("lr_kwargs");
  const ir::OriginField* field = action.origin.find(name);
  const source::Value* value = field != nullptr       ? &field->value
                               : arguments == nullptr ? nullptr
                                                      : arguments->value.find(name);
  if (value == nullptr || !value->number() || value->span.empty()) return std::nullopt;
  return Argument{*value->number(), value->span, !(field != nullptr ? field : arguments)->evaluated};
}

// Returns the epochs in which an action changes the rate within the run.
double end_within_run(const Context& context, const Action& action) {
  return std::min(action.cadence.end_or(*context.epochs), *context.epochs);
}

diag::Fix replaced_by(const Argument& argument, const std::string& text) {
  return argument.literal ? diag::Fix::unsafe().replace(argument.span, text) : diag::Fix();
}

// --- factors ----------------------------------------------------------------------------------------------

bool multiplies(const Action& action) {
  if (const auto* torch = std::get_if<ir::TorchScheduler>(&action.effect)) {
    return torch->kind != ir::TorchScheduler::Kind::cosine_warm_restarts;
  }
  const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect);
  return scheduler != nullptr && !scheduler->builds &&
         (std::holds_alternative<ir::StepDecay>(scheduler->course) ||
          std::holds_alternative<ir::MilestoneDecay>(scheduler->course) ||
          std::holds_alternative<ir::ExponentialDecay>(scheduler->course));
}

// A factor of 10 is usually meant as a division by 10.
void check_factor(const Context& context, const Action& action) {
  const auto gamma = multiplies(action) ? argument_of(action, "gamma") : std::nullopt;
  if (!gamma || gamma->value <= 1) return;
  const std::string inverse = fmt::format("{:.6g}", 1 / gamma->value);
  context.sink.report(diag::factor_raises_rate, gamma->span, base::python_repr(gamma->value))
      .with_help(
          fmt::format("write `gamma: {}`, which divides the rate by {}", inverse, base::python_repr(gamma->value)))
      .with_fix(replaced_by(*gamma, inverse));
}

// Returns the factor of an epoch that a factor of a step results in, or without the steps per epoch one with which the
// rate falls to 1 %.
std::string factor_of_epoch(const Context& context, double gamma, double window) {
  const double factor =
      context.steps_per_epoch ? std::pow(gamma, *context.steps_per_epoch) : std::pow(0.01, 1 / window);
  return fmt::format("{:.3g}", factor);
}

// Reports a factor per epoch that changes almost nothing, because it is meant for each step.
void check_slow_decay(const Context& context, const Action& action) {
  constexpr double kHardly = 0.97;
  const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect);
  const bool decays = scheduler != nullptr && std::holds_alternative<ir::ExponentialDecay>(scheduler->course);
  const auto gamma = decays && !scheduler->builds ? argument_of(action, "gamma") : std::nullopt;
  const double window = end_within_run(context, action) - std::max(action.cadence.start.value, 0.0);
  const double left = gamma && gamma->value > 0 && window >= 2 ? std::pow(gamma->value, window) : 1;
  if (left <= kHardly || left >= 1) return;
  const std::string factor = factor_of_epoch(context, gamma->value, window);
  const std::string effect = context.steps_per_epoch
                                 ? fmt::format("the factor of {} steps", *context.steps_per_epoch)
                                 : fmt::format("with which the rate falls to 1 % in {:.6g} epochs", window);
  context.sink
      .report(diag::rate_hardly_falls, gamma->span, base::python_repr(gamma->value), fmt::format("{:.3g}", left),
              window)
      .with_help(fmt::format("write `gamma: {}`, {}", factor, effect))
      .with_fix(replaced_by(*gamma, factor));
}

// --- cosines ----------------------------------------------------------------------------------------------

// Returns the rate of a falling cosine after a part of its length.
double cosine_rate(double from, double to, double part) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

// Reports a cycle that is longer than its window, so that the rate does not come down.
void check_long_cycle(const Context& context, const Action& action, const ir::TorchScheduler& torch) {
  const auto cycle = argument_of(action, "cycle_epochs");
  const double start = std::max(action.cadence.start.value, 0.0);
  const double window = end_within_run(context, action) - start;
  if (!cycle || torch.kind != ir::TorchScheduler::Kind::cosine_warm_restarts || window < 1 ||
      cycle->value <= window + 1)
    return;
  const std::string epochs = fmt::format("{}", std::ceil(window));
  auto& report = context.sink.report(diag::frequency_longer_than_window, cycle->span, "cycle_epochs",
                                     fmt::format("{}", cycle->value), base::python_repr(window));
  if (torch.initial_rate) {
    report.with_caret(fmt::format("the rate falls only from {:.4g} to {:.4g}", torch.initial_rate->value,
                                  cosine_rate(torch.initial_rate->value, torch.min_rate, window / cycle->value)));
  }
  report.with_help(fmt::format("write `cycle_epochs: {}`, so that the rate falls to {:.4g}", epochs, torch.min_rate))
      .with_fix(replaced_by(*cycle, epochs));
}

// Reports a cosine with restarts that starts at -1, for which SparseML never advances the cycle.
void check_start_of_cycle(const Context& context, const Action& action, const ir::TorchScheduler& torch) {
  const auto start = argument_of(action, "start_epoch");
  if (torch.kind != ir::TorchScheduler::Kind::cosine_warm_restarts || !start || start->value >= 0) return;
  context.sink.report(diag::cycle_never_advances, start->span)
      .with_help("write `start_epoch: 0.0`")
      .with_fix(replaced_by(*start, "0.0"));
}

// Returns true if another action sets the rate at the end of an action, or later.
bool is_followed(const Context& context, const Action& action) {
  const double end = action.cadence.end.value;
  return std::ranges::any_of(context.recipe.actions, [&](const Action& other) {
    return &other != &action && ir::moves_learning_rate(other.effect) && other.cadence.end_or(*context.epochs) >= end;
  });
}

// Reports cycles that fill their window, after which the rate of the first step stays.
void check_end_of_cycles(const Context& context, const Action& action, const ir::LearningRateCurve& curve) {
  const bool cyclic = curve.kind == ir::LearningRateCurve::Kind::cyclic_linear && curve.cycle_epochs.value > 0;
  if (!cyclic || !action.cadence.ends() || curve.from.value <= curve.to.value) return;
  const double end = action.cadence.end.value;
  const double window = end - action.cadence.start.value;
  constexpr double kShortest = 1;  // epochs at the rate
  const bool filled = std::fmod(window, curve.cycle_epochs.value) == 0;
  if (!filled || *context.epochs - end < kShortest || is_followed(context, action)) return;
  context.sink.report(diag::last_cycle_ends_high, action.cadence.end.span, base::python_repr(curve.from.value), end)
      .with_label(curve.from.span, "each cycle begins here")
      .with_cause(curve.cycle_epochs.span)
      .with_help(fmt::format("add `!SetLearningRateModifier` with `start_epoch: {}` and `learning_rate: {}`",
                             base::python_repr(end), base::python_repr(curve.to.value)));
}

// Reports a rise of CyclicLR that is longer than its window, because it counts iterations.
void check_long_rise(const Context& context, const Action& action) {
  const auto rise = argument_of(action, "step_size_up");
  const double window = end_within_run(context, action) - std::max(action.cadence.start.value, 0.0);
  constexpr double kFewest = 50;  // iterations that are meant
  if (!rise || window < 1 || rise->value <= std::max(window, kFewest) || !std::isfinite(rise->value)) return;
  constexpr double kUsual = 500;
  const double steps = context.steps_per_epoch ? static_cast<double>(*context.steps_per_epoch) : kUsual;
  const std::string epochs = fmt::format("{}", std::max(std::round(rise->value / steps), 1.0));
  context.sink
      .report(diag::frequency_longer_than_window, rise->span, "step_size_up", fmt::format("{}", rise->value),
              base::python_repr(window))
      .with_help(fmt::format("Distiller steps once in an epoch: write `step_size_up: {}`{}", epochs,
                             context.steps_per_epoch ? "" : fmt::format(", if an epoch has {} steps", kUsual)));
}

// Reports a cosine of Distiller that rises again before its policy ends.
void check_short_cosine(const Context& context, const Action& action, const ir::EpochScheduler& scheduler) {
  const auto* cosine = std::get_if<ir::CosineAnnealing>(&scheduler.course);
  const auto length = cosine == nullptr || scheduler.builds ? std::nullopt : argument_of(action, "T_max");
  const double from = scheduler.chains ? std::max(action.cadence.start.value, 0.0) : 0;
  const double last = end_within_run(context, action);
  if (!length || length->value <= 0 || last - from <= length->value + 1) return;
  const std::string epochs = fmt::format("{}", std::ceil(last - from));
  context.sink
      .report(diag::cosine_rises_again, length->span, from + length->value, std::min(from + 2 * length->value, last))
      .with_label(action.cadence.end.span, "the scheduler acts until this epoch")
      .with_help(fmt::format("write `T_max: {}`, so that the rate falls until epoch {}", epochs, last))
      .with_fix(replaced_by(*length, epochs));
}

// Reports a cosine of Distiller that hardly falls, because its length is in minibatches.
void check_long_cosine(const Context& context, const Action& action, const ir::EpochScheduler& scheduler) {
  const auto* cosine = std::get_if<ir::CosineAnnealing>(&scheduler.course);
  const auto length = cosine == nullptr || scheduler.builds ? std::nullopt : argument_of(action, "T_max");
  const double from = scheduler.chains ? std::max(action.cadence.start.value, 0.0) : 0;
  const double window = end_within_run(context, action) - from;
  constexpr double kFar = 5;  // a longer cosine may be meant to stop early
  if (!length || window < 1 || length->value < kFar * window) return;
  const double steps = static_cast<double>(context.steps_per_epoch.value_or(0));
  const bool counts_steps = steps > 0 && std::fmod(length->value, steps) == 0;
  const std::string epochs = fmt::format("{}", counts_steps ? length->value / steps : std::ceil(window));
  context.sink
      .report(diag::frequency_longer_than_window, length->span, "T_max", fmt::format("{}", length->value),
              base::python_repr(window))
      .with_help(fmt::format("Distiller steps once in an epoch: write `T_max: {}`", epochs))
      .with_fix(replaced_by(*length, epochs));
}

}  // namespace

void check_rate_shapes(const Context& context) {
  for (const Action& action : context.recipe.actions) {
    if (!action.valid) continue;
    check_factor(context, action);
    if (!context.epochs || *context.epochs <= 0) continue;
    check_slow_decay(context, action);
    if (const auto* torch = std::get_if<ir::TorchScheduler>(&action.effect)) {
      check_start_of_cycle(context, action, *torch);
      check_long_cycle(context, action, *torch);
    }
    if (const auto* curve = std::get_if<ir::LearningRateCurve>(&action.effect)) {
      check_end_of_cycles(context, action, *curve);
    }
    if (const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect)) {
      check_short_cosine(context, action, *scheduler);
      check_long_cosine(context, action, *scheduler);
      check_long_rise(context, action);
    }
  }
}

}  // namespace sparsecfg::check
