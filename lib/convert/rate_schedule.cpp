#include "convert/parts.h"

#include <cmath>

#include "timeline/evaluator.h"

namespace sparsecfg::convert {

// Returns the recipe with only the actions that can move the rate: the others would only take time.
static ir::Recipe rates_of(const ir::Recipe& recipe) {
  ir::Recipe rates = recipe;
  std::erase_if(rates.actions, [](const ir::Action& action) {
    return !ir::moves_learning_rate(action.effect) && !std::holds_alternative<ir::EpochScheduler>(action.effect);
  });
  return rates;
}

dialect::RateSchedule rate_course(const ir::Recipe& recipe, const timeline::Run& run) {
  dialect::RateSchedule course{true, true, {}};
  const ir::Recipe rates = rates_of(recipe);
  timeline::Evaluator evaluator(rates, run);
  timeline::WorkLimit limit(evaluator.work_per_change());
  std::optional<double> last = run.initial_rate;
  bool moved = last.has_value();
  if (last) {
    course.changes.push_back({0, *last});
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
    course.known &= rate.has_value();
    course.whole_epochs &= epoch == std::floor(epoch);
    if (!course.changes.empty() && course.changes.back().epoch == epoch) {
      course.changes.pop_back();
    }
    course.changes.push_back({epoch, rate.value_or(0)});
    last = rate;
    moved = true;
  }
  course.known &= moved;
  return course;
}

}  // namespace sparsecfg::convert
