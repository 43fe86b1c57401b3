#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "dialect/nni/write.h"

namespace sparsecfg::dialect::nni {

// Returns a PyTorch scheduler that scales the initial learning rate of the optimizer, which must not be 0.
static std::vector<std::string> scheduler_lines(const RateSchedule& rates, std::uint64_t steps_per_epoch) {
  std::string table;
  double first = 1;
  for (const RateChange& change : rates.changes) {
    if (table.empty() && change.rate > 0) first = change.rate;
    const double at =
        rates.whole_epochs ? change.epoch : std::nearbyint(change.epoch * static_cast<double>(steps_per_epoch));
    table += fmt::format("{}{}: {}", table.empty() ? "" : ", ", at, base::python_repr(change.rate));
  }
  const std::string_view unit = rates.whole_epochs ? "epoch" : "step";
  return {
      fmt::format("  # learning rates: the optimizer starts with {}; call scheduler.step() after each {}",
                  base::python_repr(first), unit),
      fmt::format("  rates = {{{}}}", table),
      fmt::format("  scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda {}: rates[max(k for k in rates if "
                  "k <= {})] / {})",
                  unit, unit, base::python_repr(first))};
}

std::vector<std::string> rate_lines(const ir::Recipe& recipe, const WriteOptions& options) {
  constexpr std::size_t kMaxChanges = 100;
  const auto& changes = options.rates.changes;
  const bool moves = std::ranges::any_of(
      recipe.actions, [](const ir::Action& action) { return ir::moves_learning_rate(action.effect); });
  if (!moves) {
    return {};
  }
  if (!options.rates.known || changes.empty()) {
    return {"  # learning rates: unknown; pass the initial learning rate with `--initial-lr`"};
  }
  if (changes.size() > kMaxChanges || !options.rates.complete) {
    return {"  # learning rates: see `sparsecfg timeline --format csv` for the rate of every step"};
  }
  return scheduler_lines(options.rates, options.read.steps_per_epoch.value_or(1));
}

}  // namespace sparsecfg::dialect::nni
