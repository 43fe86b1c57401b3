#include "convert/parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sparsecfg::convert {

// Returns the fraction of a normal distribution within `deviations` standard deviations of the mean.
static double fraction_within(double deviations) { return std::erf(deviations / std::numbers::sqrt2); }

static bool is_of_names(const model::Selector& selector) {
  return std::ranges::all_of(selector.terms,
                             [](const model::Term& term) { return term.kind == model::Term::Kind::exact; });
}

// Adds the threshold as a level. Exact names with the same level share a target.
static void add(std::vector<ir::Target>& targets, const ir::ThresholdPrune::Threshold& threshold) {
  const double level = fraction_within(*threshold.deviations);
  const auto same = std::ranges::find_if(targets, [&](const ir::Target& target) {
    return target.sparsity.value == level && is_of_names(target.selector) && is_of_names(threshold.selector);
  });
  if (same == targets.end()) {
    targets.push_back({{level, threshold.value.span}, threshold.selector});
  } else {
    std::ranges::copy(threshold.selector.terms, std::back_inserter(same->selector.terms));
  }
}

std::vector<Assumption> assume_gaussian(ir::Recipe& recipe) {
  std::vector<Assumption> out;
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const auto* prune = std::get_if<ir::ThresholdPrune>(&recipe.actions[index].effect);
    const auto has_deviations = [](const auto& threshold) { return threshold.deviations.has_value(); };
    if (prune == nullptr || prune->thresholds.empty() || !std::ranges::all_of(prune->thresholds, has_deviations)) {
      continue;
    }
    std::string reason = "its thresholds are converted to levels that assume normally distributed weights";
    if (prune->criterion != "sensitivity") reason += " and that no pruned weight becomes nonzero again";
    ir::Prune levels{ir::Constant{}, {}, {}, "magnitude"};
    for (const auto& threshold : prune->thresholds) {
      add(levels.targets, threshold);
    }
    recipe.actions[index].effect = std::move(levels);
    out.push_back({index, std::move(reason)});
  }
  return out;
}

}  // namespace sparsecfg::convert
