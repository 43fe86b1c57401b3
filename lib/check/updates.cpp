#include "check/check.h"

#include "timeline/trigger.h"

namespace sparsecfg::check {

std::vector<double> first_updates(const Context& context, const ir::Action& action, std::size_t count) {
  constexpr std::size_t kFineSteps = 1000;
  const bool known = context.epochs && *context.epochs > 0;
  const timeline::Run run{context.steps_per_epoch.value_or(kFineSteps), known ? *context.epochs : ir::kMaxEpochs,
                          std::nullopt, nullptr, nullptr};
  timeline::Trigger trigger(action.cadence, run);
  std::vector<double> epochs;
  for (timeline::Tick tick = trigger.next(); epochs.size() < count && tick.step < run.steps(); tick = trigger.next()) {
    epochs.push_back(run.epoch_of(tick.step));
  }
  return epochs;
}

}  // namespace sparsecfg::check
