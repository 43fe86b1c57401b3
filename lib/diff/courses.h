#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/recipe.h"
#include "model/names.h"
#include "timeline/run.h"

// Compares two recipes at every step.
namespace sparsecfg::diff {

// The steps at which a number differs between two runs. Rounding differences are ignored.
struct Divergence {
  std::uint64_t first = 0;       // first step with a difference
  std::uint64_t at = 0;          // step with the largest difference
  double most = 0;               // largest difference; infinite if only one side has a number
  std::optional<double> before;  // values at step `at`
  std::optional<double> after;

  // Adds the values at a step. Call it in order for each step at which one side changes. `zero_if_missing`: a missing
  // number is the same as 0, such as a sparsity without a mask.
  static void add(std::optional<Divergence>& divergence, const std::optional<double>& before,
                  const std::optional<double>& after, std::uint64_t step, bool zero_if_missing = false);
};

// Weights that the same actions of both recipes mask.
struct Masked {
  std::vector<std::size_t> before;  // actions, in document order; empty: only the other recipe masks them
  std::vector<std::size_t> after;
  std::vector<std::string> weights;
  std::optional<Divergence> divergence;  // nullopt: the same sparsity at every step
  bool unmeasured = false;               // true if a sparsity depends on the values of the weights, or on several masks
};

struct StepComparison {
  std::vector<Masked> masked;
  std::optional<Divergence> rate;
  std::optional<Divergence> weight_decay;
  bool unknown_rate = false;             // true if a learning rate is not known at some step
  std::size_t weights = 0;               // number of compared weights
  bool all_patterns = true;              // false: some patterns could not be compared; see convert::Weights
  std::vector<bool> acted;               // for each action of the first recipe: true if it acted at a compared step
  std::vector<bool> other_acted;         // the same for the second recipe
  std::optional<std::uint64_t> stopped;  // first step that was not compared, after too many changes
  bool too_many_weights = false;         // true if weight_classes() exceeded its limits, so no step was compared
};

// Evaluates both runs at every change and compares them. Without a model the weights are example names that the
// selectors match. Rates after the end of the shorter run are not compared. `modules` may be null.
[[nodiscard]] StepComparison compare_timelines(const ir::Recipe& before, const timeline::Run& run,
                                               const ir::Recipe& after, const timeline::Run& other_run,
                                               const std::vector<model::Module>* modules);

}  // namespace sparsecfg::diff
