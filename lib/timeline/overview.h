#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/recipe.h"
#include "timeline/evaluator.h"
#include "timeline/run.h"

namespace sparsecfg::timeline {

// Statistics of a whole run.
struct Overview {
  // An action that acts more often than this is continuous, like a ramp.
  static constexpr std::size_t kRare = 10;
  // A rate that changes more often than this is continuous.
  static constexpr std::size_t kFewRates = 16;

  struct Phase {
    std::optional<std::uint64_t> start;  // step of its start; nullopt: it never started
    std::optional<std::uint64_t> last;   // last step at which it acted
    std::optional<std::uint64_t> end;    // step of its end; nullopt: it never ended
    std::optional<std::uint64_t> observers_off;
    std::optional<std::uint64_t> batch_norm_frozen;
    std::uint64_t updates = 0;               // times that it acted, including start and end
    std::vector<std::uint64_t> first_steps;  // the first kRare of them
    bool sets_rate = false;                  // true if its only effect is a learning rate
  };

  std::vector<Column> columns;
  std::vector<std::optional<double>> reached;  // by column: the last sparsity applied
  std::vector<Phase> phases;                   // by action
  std::optional<double> min_rate;              // of the first parameter group, if known
  std::optional<double> max_rate;
  std::optional<double> last_rate;
  bool factors = false;  // true if these rates are factors of the trainer's rate (timeline/factors.h)
  std::vector<std::uint64_t> rate_changes;  // steps at which the rate changes, the first kFewRates + 1 of them
  std::uint64_t rate_known_from = kNever;   // first step with a known rate
  std::optional<double> overall;            // of the whole model, if the shapes of its weights are known
  std::uint64_t weights = 0;                // number of their elements; 0 if unknown
  bool complete = true;                     // false: the run has more changes than were followed
  std::uint64_t followed = 0;               // number of changes
};

// Follows the run, up to `most_changes` changes, or fewer if thousands of actions act at once.
[[nodiscard]] Overview survey(const ir::Recipe& recipe, const Run& run, std::uint64_t most_changes = UINT64_MAX);

// Like survey(), with rates as factors if the trainer's rate is unknown.
[[nodiscard]] Overview survey_for_display(const ir::Recipe& recipe, const Run& run, std::uint64_t most_changes);

// Returns at most `most` (2 or more) steps of the window from `first` to `last` that summarize a run, in order: both
// ends of the window, starts and ends of actions, rare updates and rates, and quarters of continuous changes. Quarters
// of long phases are whole epochs.
[[nodiscard]] std::vector<std::uint64_t> milestones(const Overview& overview, const Run& run, std::uint64_t first,
                                                    std::uint64_t last, std::size_t most);

// Returns true if the trainer's rate is unknown and every rate of the run is a multiple of it. A run with a trainer's
// rate of 1 then shows the factors.
[[nodiscard]] bool rates_are_factors(const ir::Recipe& recipe, const Run& run);

// A run for displaying rates: uses a trainer's rate of 1 if its rates are factors.
struct RatedRun {
  RatedRun(const ir::Recipe& recipe, const Run& asked) : run(asked), factors(rates_are_factors(recipe, asked)) {
    if (factors) run.initial_rate = 1;
  }

  Run run;
  bool factors;
};

}  // namespace sparsecfg::timeline
