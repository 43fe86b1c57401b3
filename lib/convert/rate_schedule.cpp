#include "convert/parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/limits.h"
#include "timeline/evaluator.h"

namespace sparsecfg::convert {

// Returns the recipe with only the actions that can change the rate. Evaluating the others would be wasted time.
static ir::Recipe rates_of(const ir::Recipe& recipe) {
  ir::Recipe rates = recipe;
  std::erase_if(rates.actions, [](const ir::Action& action) {
    return !ir::moves_learning_rate(action.effect) && !std::holds_alternative<ir::EpochScheduler>(action.effect);
  });
  return rates;
}

namespace {

// Collects changes in the order of their epochs. Memory use does not depend on the number of steps.
class RateCollector {
 public:
  explicit RateCollector(const ir::Recipe& recipe) {
    for (const ir::Action& action : recipe.actions) starts_.push_back(action.cadence.start.value);
    std::ranges::sort(starts_);
  }

  void add(dialect::RateChange change) {
    if (!changes_.empty() && (changes_.back().epoch == change.epoch || (!complete_ && !is_kept(change.epoch)))) {
      changes_.pop_back();
    }
    changes_.push_back(change);
    if (complete_ && changes_.size() > limits::kMaxRateChanges) thin();
  }

  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] std::vector<dialect::RateChange> take() { return std::move(changes_); }

 private:
  // Returns true if an epoch or an action begins while the last change is in force, which is before `until`.
  [[nodiscard]] bool is_kept(double until) const {
    const double from = changes_.back().epoch;
    const auto start = std::ranges::lower_bound(starts_, from);
    return std::ceil(from) < until || (start != starts_.end() && *start < until);
  }

  void thin() {
    complete_ = false;
    for (const dialect::RateChange& change : std::exchange(changes_, {})) add(change);
  }

  std::vector<double> starts_;
  std::vector<dialect::RateChange> changes_;
  bool complete_ = true;
};

}  // namespace

dialect::RateSchedule rate_schedule_of(const ir::Recipe& recipe, const timeline::Run& run) {
  dialect::RateSchedule schedule{true, true, true, {}};
  RateCollector changes(recipe);
  const ir::Recipe rates = rates_of(recipe);
  timeline::Evaluator evaluator(rates, run);
  timeline::WorkLimit limit(evaluator.work_per_change());
  std::optional<double> last = run.initial_rate;
  bool moved = last.has_value();
  if (last) {
    changes.add({0, *last});
  }
  while (evaluator.next_step() < run.steps()) {
    if (!limit.take(evaluator.events().size())) {
      return {};
    }
    evaluator.advance();
    const auto rate = evaluator.optimizer().groups().front().rate;
    if (rate == last) {
      continue;
    }
    const double epoch = run.epoch_of(evaluator.step());
    schedule.known &= rate.has_value();
    schedule.whole_epochs &= epoch == std::floor(epoch);
    changes.add({epoch, rate.value_or(0)});
    last = rate;
    moved = true;
  }
  schedule.known &= moved;
  schedule.complete = changes.complete();
  schedule.changes = changes.take();
  return schedule;
}

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
