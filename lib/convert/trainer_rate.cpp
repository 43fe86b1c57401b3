#include "convert/trainer_rate.h"

#include <algorithm>
#include <cmath>

#include "convert/rate_schedule.h"

namespace sparsecfg::convert {

bool rates_follow_trainer(const ir::Recipe& recipe, timeline::Run run) {
  constexpr double kSame = 1e-12;
  const auto moves = [](const ir::Action& action) { return ir::moves_learning_rate(action.effect); };
  if (run.initial_rate || !recipe.has_rates || std::ranges::none_of(recipe.actions, moves) ||
      rate_course(recipe, run).known) {
    return false;
  }
  run.initial_rate = kStandInRate;
  const auto one = rate_course(recipe, run);
  run.initial_rate = kStandInRate / 2;
  const auto half = rate_course(recipe, run);
  return one.known && half.known &&
         std::ranges::equal(one.changes, half.changes,
                            [](const dialect::RateChange& a, const dialect::RateChange& b) {
                              return a.epoch == b.epoch && std::abs(a.rate - 2 * b.rate) <= kSame * a.rate;
                            });
}

}  // namespace sparsecfg::convert
