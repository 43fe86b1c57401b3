#include "convert/parts.h"

#include <algorithm>
#include <cmath>

namespace sparsecfg::convert {

constexpr double kSameRate = 1e-12;  // relative tolerance

static bool is_nearly(double a, double b, double scale) { return std::abs(a - b) <= kSameRate * std::abs(scale); }

// Rounds a difference of rates below 1, to remove the rounding error of the subtraction.
static double without_noise(double rate) { return std::round(rate * 1e15) / 1e15; }

// Returns the rates for another initial rate, or nullopt if they change at other epochs than `like`.
static std::optional<dialect::RateSchedule> rates_with(const ir::Recipe& recipe, timeline::Run run, double rate,
                                                       const dialect::RateSchedule& like) {
  run.initial_rate = rate;
  auto out = rate_schedule_of(recipe, run);
  const bool same = out.known && std::ranges::equal(out.changes, like.changes, {}, &dialect::RateChange::epoch,
                                                    &dialect::RateChange::epoch);
  return same ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<dialect::RateSchedule> rates_by_trainer(const ir::Recipe& recipe, timeline::Run run) {
  const auto moves = [](const ir::Action& action) { return ir::moves_learning_rate(action.effect); };
  if (run.initial_rate || !recipe.has_rates || std::ranges::none_of(recipe.actions, moves) ||
      rate_schedule_of(recipe, run).known) {
    return std::nullopt;
  }
  run.initial_rate = kStandInRate;
  auto out = rate_schedule_of(recipe, run);
  const auto half = rates_with(recipe, run, kStandInRate / 2, out);
  const auto quarter = rates_with(recipe, run, kStandInRate / 4, out);
  if (!out.known || !half || !quarter) {
    return std::nullopt;
  }
  for (std::size_t at = 0; at < out.changes.size(); ++at) {
    dialect::RateChange& change = out.changes[at];
    const double fixed = without_noise(2 * half->changes[at].rate - change.rate);
    change.fixed = is_nearly(fixed, 0, change.rate) ? 0 : fixed;
    if (!is_nearly(quarter->changes[at].rate, fixed + (change.rate - fixed) / 4, change.rate)) return std::nullopt;
  }
  return out;
}

}  // namespace sparsecfg::convert
