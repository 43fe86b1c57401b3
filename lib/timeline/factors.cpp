#include "timeline/factors.h"

#include <algorithm>

#include "timeline/evaluator.h"

namespace sparsecfg::timeline {

static bool only_epoch_schedulers(const ir::Recipe& recipe) {
  const auto moves = [](const ir::Action& action) { return ir::moves_learning_rate(action.effect); };
  return std::ranges::any_of(recipe.actions, moves) &&
         std::ranges::all_of(recipe.actions, [&](const ir::Action& action) {
           return !moves(action) || std::holds_alternative<ir::EpochScheduler>(action.effect);
         });
}

// If all rates are factors, doubling the trainer's rate exactly doubles every rate.
bool rates_are_factors(const ir::Recipe& recipe, const Run& run) {
  if (run.initial_rate || !recipe.has_rates || !only_epoch_schedulers(recipe)) {
    return false;
  }
  Run one = run;
  Run two = run;
  one.initial_rate = 1;
  two.initial_rate = 2;
  Evaluator first(recipe, one);
  Evaluator second(recipe, two);
  constexpr std::uint64_t kEnough = 100'000;
  const std::uint64_t most = kEnough / first.work_per_change();
  for (std::uint64_t change = 0; change < most && first.next_step() != kNever; ++change) {
    first.advance();
    second.advance();
    const auto& rate = first.optimizer().groups().front().rate;
    const auto& twice = second.optimizer().groups().front().rate;
    if (!rate || !twice || *twice != 2 * *rate) return false;
  }
  return true;
}

}  // namespace sparsecfg::timeline
