#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/limits.h"
#include "check/check.h"
#include "timeline/overview.h"

// Reports the estimated sparsity of the whole model (MD9).
namespace sparsecfg::check {

// Formats a count with a unit prefix: "25.5 M".
static std::string short_text(std::uint64_t count) {
  const auto number = static_cast<double>(count);
  return count >= 1'000'000'000 ? fmt::format("{:.1f} G", number / 1e9)
         : count >= 1'000'000   ? fmt::format("{:.1f} M", number / 1e6)
         : count >= 10'000      ? fmt::format("{:.1f} k", number / 1e3)
                                : fmt::format("{}", count);
}

static const ir::Action* first_pruner(const ir::Recipe& recipe) {
  for (const ir::Action& action : recipe.actions) {
    if (std::holds_alternative<ir::Prune>(action.effect)) return &action;
  }
  return nullptr;
}

void check_overall(const Context& context) {
  // If the steps per epoch are unknown, any number leads to nearly the same final state.
  constexpr std::size_t kStepsPerEpoch = 100;
  const ir::Action* pruner = first_pruner(context.recipe);
  const bool shaped = (context.parameters != nullptr && context.parameters->has_shapes()) ||
                      (context.modules != nullptr && context.modules->has_shapes());
  if (pruner == nullptr || !shaped || !context.sink.wants(diag::global_sparsity_estimate) || !context.epochs ||
      *context.epochs <= 0 || !context.recipe.has_timeline()) {
    return;
  }
  const timeline::Run run{context.steps_per_epoch.value_or(kStepsPerEpoch), *context.epochs, std::nullopt,
                          context.parameters, context.modules};
  const timeline::Overview overview =
      timeline::survey(context.recipe, run, limits::kMaxSimulated / (context.recipe.actions.size() + 1));
  if (overview.complete && overview.overall && std::isfinite(*overview.overall)) {
    context.sink.report(diag::global_sparsity_estimate, pruner->origin.span,
                        fmt::format("{:.1f} %", *overview.overall * 100), short_text(overview.weights) + " elements");
  }
}

}  // namespace sparsecfg::check
