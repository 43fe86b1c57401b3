#include "dialect/sparseml/write/write.h"

#include <algorithm>
#include <cmath>

#include "dialect/write.h"
#include "ir/clock.h"

namespace sparsecfg::dialect::sparseml {

// Converts a cadence in epochs. A constant value may be set any number of times.
static std::optional<Window> of_epochs(const ir::Cadence& cadence, bool constant) {
  const double every = cadence.every_or(1);
  if (!cadence.listed().empty()) {
    const auto [first, last] = std::ranges::minmax(cadence.listed(), {}, &ir::Located<double>::value);
    return constant ? std::optional(Window{first.value, std::max(last.value, first.value + 1), 1}) : std::nullopt;
  }
  const double passed = ir::epochs_passed(cadence.start.value, cadence.end.value, every);
  if (cadence.start.value >= cadence.end.value || !cadence.ends() || (passed <= 0 && !constant)) {
    return std::nullopt;
  }
  return Window{cadence.start.value, cadence.start.value + (passed > 0 ? passed : 1), passed > 0 ? every : 1};
}

// Returns true if SparseML updates exactly every `every` steps. It adds the frequency to the epoch of the last update.
static bool keeps_step(double frequency, std::uint64_t every, std::uint64_t until, std::uint64_t steps_per_epoch) {
  for (std::uint64_t step = 0; step + every <= until; step += every) {
    if (ir::first_step_at(ir::epoch_of(step, steps_per_epoch) + frequency, steps_per_epoch) != step + every) {
      return false;
    }
  }
  return true;
}

// Converts a cadence in steps. At step 0 SparseML has a mask with sparsity 0, the other framework none.
static std::optional<Window> of_steps(const ir::StepSchedule& counted, bool constant, const WriteOptions& options) {
  const std::uint64_t steps_per_epoch = counted.in_epochs ? 1 : options.read.steps_per_epoch.value_or(1);
  const auto way = as_update_ramp(counted);
  if (!way) {
    return std::nullopt;
  }
  const double last = ir::epoch_of(way->last, steps_per_epoch);
  if (constant || way->at_once) {
    const double first = ir::epoch_of(counted.first, steps_per_epoch);
    return Window{first, std::max(last, first + 1), 1, true};
  }
  const double exact = static_cast<double>(way->every) / static_cast<double>(steps_per_epoch);
  const bool steady = way->begin == 0 && keeps_step(exact, way->every, way->last, steps_per_epoch);
  const double half = (static_cast<double>(way->every) - 0.5) / static_cast<double>(steps_per_epoch);
  return Window{ir::epoch_of(way->begin, steps_per_epoch), last, steady ? exact : half};
}

std::optional<Window> window_of(const ir::Cadence& cadence, const ir::Prune& prune, const WriteOptions& options) {
  const bool constant = std::holds_alternative<ir::Constant>(prune.curve);
  if (cadence.is<ir::SinceLastUpdate>()) {  // the SparseML cadence
    return Window{cadence.start.value, cadence.end_or(-1), cadence.every_or(1)};
  }
  return cadence.counted() != nullptr ? of_steps(*cadence.counted(), constant, options) : of_epochs(cadence, constant);
}

}  // namespace sparsecfg::dialect::sparseml
