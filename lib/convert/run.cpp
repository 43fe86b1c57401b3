#include <algorithm>

#include "convert/convert.h"
#include "convert/parts.h"

namespace sparsecfg::convert {

bool is_onto_itself(const ir::Recipe& recipe, const dialect::Dialect& to) {
  return to.is_lossless() || to.name == recipe.dialect;
}

bool has_steps(const ir::Recipe& recipe, const dialect::Dialect& to) {
  const dialect::Dialect* from = dialect::find_dialect(recipe.dialect);
  return to.trains && (from == nullptr || from->trains);
}

// Returns the last epoch at which an action ends, or nullopt if no action ends.
static std::optional<double> last_end_of(const ir::Recipe& recipe) {
  double last = 0;
  for (const ir::Action& action : recipe.actions) {
    last = std::max(last, action.cadence.end_or(0));
  }
  return last > 0 ? std::optional(last) : std::nullopt;
}

std::optional<timeline::Run> run_of(const ir::Recipe& recipe, const Request& request) {
  const auto& read = request.compile.read;
  const auto epochs = read.epochs     ? read.epochs
                      : recipe.length ? std::optional(recipe.length->epochs)
                                      : last_end_of(recipe);
  if (!epochs || !recipe.has_timeline() || !has_steps(recipe, *request.to)) {
    return std::nullopt;
  }
  const std::size_t steps = read.steps_per_epoch.value_or(recipe.steps_per_epoch.value_or(kStepsPerEpoch));
  return timeline::Run{steps, *epochs, recipe.has_rates ? request.initial_rate : std::nullopt,
                       request.compile.parameters, request.compile.modules};
}

}  // namespace sparsecfg::convert
