#include <algorithm>

#include "check/check.h"
#include "ir/trigger.h"
#include "timeline/run.h"

namespace sparsecfg::check {

constexpr Check kChecks[] = {
    {"training length", check_training_length},
    {"ranges", check_ranges},
    {"epochs of the run", check_epochs_of_run},
    {"literal epochs", check_literal_epochs},
    {"frequencies", check_frequencies},
    {"sparsities", check_sparsities},
    {"falling ramps", check_falling_ramps},
    {"learning rate", check_learning_rate},
    {"idle rate", check_idle_rate},
    {"initial rates", check_initial_rates},
    {"shapes of rates", check_rate_shapes},
    {"counted updates", check_counted},
    {"rate conflicts", check_rate_conflicts},
    {"run", check_run},
    {"pruners", check_pruners},
    {"order", check_order},
    {"masks", check_masks},
    {"frozen parameters", check_frozen_parameters},
    {"selectors", check_selectors},
    {"patterns", check_patterns},
    {"classes of numbers", check_number_classes},
    {"distillation", check_distillation},
    {"names", check_names},
    {"quantized names", check_quantized_names},
    {"shapes", check_shapes},
    {"coupled layers", check_coupled},
    {"overall sparsity", check_overall},
    {"entries of the outcome", check_outcome_entries},
    {"reach of the outcome", check_outcome_reach},
};

std::span<const Check> checks() { return kChecks; }

bool can_simulate(const Context& context) {
  return knows_length(context) && context.recipe.has_timeline() &&
         std::ranges::all_of(context.recipe.actions, &ir::Action::valid);
}

std::vector<double> first_updates(const Context& context, const ir::Action& action, std::size_t count) {
  constexpr std::size_t kFineSteps = 1000;
  const timeline::Run run{context.steps_per_epoch.value_or(kFineSteps), epochs_or_max(context), std::nullopt, nullptr,
                          nullptr};
  ir::Trigger trigger(action.cadence, run.steps_per_epoch);
  std::vector<double> epochs;
  for (ir::Tick tick = trigger.next(); epochs.size() < count && tick.step < run.steps(); tick = trigger.next()) {
    epochs.push_back(run.epoch_of(tick.step));
  }
  return epochs;
}

}  // namespace sparsecfg::check
