#include "convert/parts.h"

#include <cmath>

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

dialect::RateSchedule rate_schedule_of(const ir::Recipe& recipe, const timeline::Run& run) {
  dialect::RateSchedule schedule{true, true, {}};
  const ir::Recipe rates = rates_of(recipe);
  timeline::Evaluator evaluator(rates, run);
  timeline::WorkLimit limit(evaluator.work_per_change());
  std::optional<double> last = run.initial_rate;
  bool moved = last.has_value();
  if (last) {
    schedule.changes.push_back({0, *last});
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
    if (!schedule.changes.empty() && schedule.changes.back().epoch == epoch) {
      schedule.changes.pop_back();
    }
    schedule.changes.push_back({epoch, rate.value_or(0)});
    last = rate;
    moved = true;
  }
  schedule.known &= moved;
  return schedule;
}

}  // namespace sparsecfg::convert
