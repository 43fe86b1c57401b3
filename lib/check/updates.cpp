#include <algorithm>

#include "check/check.h"
#include "ir/trigger.h"
#include "timeline/run.h"

namespace sparsecfg::check {

static bool knows_length(const Context& context) { return context.epochs && *context.epochs > 0; }

bool can_simulate(const Context& context) {
  return knows_length(context) && context.recipe.has_timeline() &&
         std::ranges::all_of(context.recipe.actions, &ir::Action::valid);
}

std::vector<double> first_updates(const Context& context, const ir::Action& action, std::size_t count) {
  constexpr std::size_t kFineSteps = 1000;
  const double epochs_of_run = knows_length(context) ? *context.epochs : ir::kMaxEpochs;
  const timeline::Run run{context.steps_per_epoch.value_or(kFineSteps), epochs_of_run, std::nullopt, nullptr, nullptr};
  ir::Trigger trigger(action.cadence, run.steps_per_epoch);
  std::vector<double> epochs;
  for (ir::Tick tick = trigger.next(); epochs.size() < count && tick.step < run.steps(); tick = trigger.next()) {
    epochs.push_back(run.epoch_of(tick.step));
  }
  return epochs;
}

}  // namespace sparsecfg::check
