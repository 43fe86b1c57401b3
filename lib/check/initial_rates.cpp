#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "check/check.h"

// Compares the initial rates of modifiers with the rate that the modifiers before them reach (SP5).
namespace sparsecfg::check {

using ir::Action;
using ir::Located;

namespace {

double start_of(const Action& action) { return std::max(action.cadence.start.value, 0.0); }

// Returns the initial rate that an action sets, or null.
const Located<double>* initial_rate(const Action& action) {
  if (const auto* curve = std::get_if<ir::LearningRateCurve>(&action.effect)) return &curve->from;
  if (const auto* set = std::get_if<ir::SetLearningRate>(&action.effect)) return &set->rate;
  const auto* torch = std::get_if<ir::TorchScheduler>(&action.effect);
  return torch != nullptr && torch->initial_rate ? &*torch->initial_rate : nullptr;
}

// Returns the number of drops of a scheduler before the end of its window.
double drops_of(const ir::TorchScheduler& torch, double start, double end) {
  if (torch.kind == ir::TorchScheduler::Kind::step) {
    return torch.step_size.value > 0 ? std::ceil((end - start) / torch.step_size.value) - 1 : 0;
  }
  return static_cast<double>(
      std::ranges::count_if(torch.milestones, [&](const Located<double>& each) { return each.value < end; }));
}

// Returns the rate when an action ends; nullopt if it is unknown or does not end.
std::optional<double> last_rate(const Action& action) {
  const auto* curve = std::get_if<ir::LearningRateCurve>(&action.effect);
  if (curve != nullptr && action.cadence.ends()) {
    const bool cyclic = curve->kind == ir::LearningRateCurve::Kind::cyclic_linear;
    return cyclic || !curve->groups.empty() ? std::nullopt : std::optional(curve->to.value);
  }
  const auto* torch = std::get_if<ir::TorchScheduler>(&action.effect);
  const bool steps = torch != nullptr && torch->initial_rate && action.cadence.ends() &&
                     torch->kind != ir::TorchScheduler::Kind::cosine_warm_restarts;
  if (!steps) return std::nullopt;
  return torch->initial_rate->value *
         std::pow(torch->gamma, drops_of(*torch, start_of(action), action.cadence.end.value));
}

std::string shown(double rate) { return fmt::format("{:.6g}", rate); }

// The actions of SparseML modifiers that change the rate of all parameters, sorted by start.
std::vector<const Action*> movers_in_order(const ir::Recipe& recipe) {
  std::vector<const Action*> out;
  for (const Action& action : recipe.actions) {
    if (acts_by_epochs(action) && initial_rate(action) != nullptr) out.push_back(&action);
  }
  std::ranges::stable_sort(out, {}, [](const Action* action) { return start_of(*action); });
  return out;
}

bool is_cosine(const Action& action) {
  const auto* torch = std::get_if<ir::TorchScheduler>(&action.effect);
  return torch != nullptr && torch->kind == ir::TorchScheduler::Kind::cosine_warm_restarts;
}

// --- schedulers that compute from a stored rate ---------------------------------------------------------

// Returns the advice to write a modifier for each cycle of a scheduler with restarts; empty if it has only one.
std::string cycles_text(const ir::TorchScheduler& torch, double start, double last) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> cycles;
  double length = torch.cycle_epochs;
  for (double begin = start; begin < last && length > 0 && cycles.size() <= kMost; length *= torch.cycle_growth) {
    const double end = std::min(begin + length, last);
    cycles.push_back(fmt::format("{} to {}", base::python_repr(begin), base::python_repr(end)));
    begin = end;
  }
  if (cycles.size() < 2 || cycles.size() > kMost) return {};
  return fmt::format(
      "write {} `!LearningRateFunctionModifier` with `lr_func: cosine`, `init_lr: {}` and `final_lr: {}`, one for each "
      "cycle: epochs {}",
      cycles.size(), base::python_repr(torch.initial_rate->value), base::python_repr(torch.min_rate),
      base::join_and(cycles));
}

std::string advice_on_cosine(const Context& context, const Action& action, const ir::TorchScheduler& torch) {
  const double start = start_of(action);
  const double end = action.cadence.end_or(context.epochs.value_or(start));
  const double last = std::min(end, context.epochs.value_or(end));
  const std::string cycles = cycles_text(torch, start, last);
  if (!cycles.empty()) return cycles;
  return fmt::format(
      "write `!LearningRateFunctionModifier` with `lr_func: cosine`, `init_lr: {}`, `final_lr: {}`, `start_epoch: {}` "
      "and `end_epoch: {}`",
      base::python_repr(torch.initial_rate->value), base::python_repr(torch.min_rate), base::python_repr(start),
      base::python_repr(last));
}

void report_ignored(const Context& context, const Action& action, const Action& first) {
  const auto& torch = std::get<ir::TorchScheduler>(action.effect);
  const double stored = initial_rate(first)->value;
  context.sink
      .report(diag::initial_rate_ignored, torch.initial_rate->span, base::python_repr(torch.initial_rate->value),
              base::python_repr(stored))
      .with_label(initial_rate(first)->span, "torch stores this rate")
      .with_help(advice_on_cosine(context, action, torch));
}

// Returns the scheduler that torch builds first, or null.
const Action* first_scheduler(const std::vector<const Action*>& movers) {
  const auto found = std::ranges::find_if(
      movers, [](const Action* action) { return std::holds_alternative<ir::TorchScheduler>(action->effect); });
  return found == movers.end() ? nullptr : *found;
}

bool ignores_its_rate(const Action& action, const Action* first) {
  return first != nullptr && &action != first && is_cosine(action) && start_of(action) > start_of(*first) &&
         initial_rate(action)->value != initial_rate(*first)->value;
}

// --- rates that do not go on ---------------------------------------------------------------------------

bool differ(double one, double other) { return std::abs(one - other) > 0.01 * std::max(one, other); }

// Returns true if the second action starts where the first one ends, or at most one epoch later.
bool follows(const Action& first, const Action& second) {
  const double gap = start_of(second) - first.cadence.end.value;
  return first.cadence.ends() && gap >= 0 && gap <= 1 && first.origin.stage == second.origin.stage;
}

bool rises(const Action& action) {
  const auto* curve = std::get_if<ir::LearningRateCurve>(&action.effect);
  return curve != nullptr && curve->to.value > curve->from.value;
}

diag::Fix replaced(const Action& action, const Located<double>& rate, const std::string& text) {
  return action.origin.is_literal(rate.span) ? diag::Fix::unsafe().replace(rate.span, text) : diag::Fix();
}

void report_break(const Context& context, const Action& first, const Action& second, double reached) {
  const Located<double>& rate = *initial_rate(second);
  const ir::OriginField* field = second.origin.field_at(rate.span);
  const std::string text = base::python_repr(std::strtod(shown(reached).c_str(), nullptr));
  const auto& rule = rises(first) ? diag::warmup_ends_elsewhere : diag::rate_rises_again;
  context.sink.report(rule, rate.span, shown(reached), shown(rate.value), start_of(second))
      .with_label(first.cadence.end.span, fmt::format("the rate is {} here", shown(reached)))
      .with_help(fmt::format("write `{}: {}`", field == nullptr ? "init_lr" : base::last_part(field->name), text))
      .with_fix(replaced(second, rate, text));
}

// Returns true if a modifier starts at the initial rate of an earlier one, so that it is meant to restart the schedule.
bool restarts(std::span<const Action* const> earlier, double rate) {
  return std::ranges::any_of(earlier, [&](const Action* each) { return !differ(initial_rate(*each)->value, rate); });
}

// A warmup must end at the rate of the next modifier. A rate that has fallen must not rise again. `earlier`: the
// modifiers up to the first one.
void check_break(const Context& context, std::span<const Action* const> earlier, const Action& second) {
  const Action& first = *earlier.back();
  if (std::holds_alternative<ir::SetLearningRate>(second.effect)) return;  // sets a rate on purpose
  const auto reached = last_rate(first);
  const double next = initial_rate(second)->value;
  if (!reached || !follows(first, second) || !differ(*reached, next)) return;
  // A rate of 0 is reported by itself.
  const bool raised = !rises(first) && *reached > 0 && next > *reached && !restarts(earlier, next);
  if (rises(first) || raised) report_break(context, first, second, *reached);
}

}  // namespace

void check_initial_rates(const Context& context) {
  const std::vector<const Action*> movers = movers_in_order(context.recipe);
  const Action* scheduler = first_scheduler(movers);
  for (std::size_t at = 1; at < movers.size(); ++at) {
    const Action& action = *movers[at];
    if (ignores_its_rate(action, scheduler)) {
      report_ignored(context, action, *scheduler);
    } else {
      check_break(context, std::span(movers).first(at), action);
    }
  }
}

}  // namespace sparsecfg::check
