#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "timeline/evaluator.h"

namespace sparsecfg::timeline {

// The figures of a whole run.
struct Overview {
  // An action that acts more often than that goes on, like a ramp.
  static constexpr std::size_t kRare = 10;

  struct Phase {
    std::optional<std::uint64_t> start;  // the step of its start; nothing: it never started
    std::optional<std::uint64_t> last;   // the last step at which it acted
    std::optional<std::uint64_t> end;    // the step of its end; nothing: it never ended
    std::optional<std::uint64_t> observers_off;
    std::optional<std::uint64_t> batch_norm_frozen;
    std::uint64_t updates = 0;               // times that it acted, the start and the end among them
    std::vector<std::uint64_t> first_steps;  // of the first kRare of them
  };

  std::vector<Column> columns;
  std::vector<std::optional<double>> reached;  // by column: the last sparsity applied
  std::vector<Phase> phases;                   // by action
  std::optional<double> min_rate;              // of the first parameter group, where it is known
  std::optional<double> max_rate;
  std::optional<double> last_rate;
  bool factors = false;                    // true if these rates are factors of the trainer's (timeline/factors.h)
  std::uint64_t rate_known_from = kNever;  // the first step whose rate is known
  std::optional<double> overall;           // of all weights together, where their shapes are known
  std::uint64_t weights = 0;               // their elements; 0 where not known
  bool complete = true;                    // false: the run has more changes than were followed
  std::uint64_t followed = 0;              // changes
};

// Follows the whole run, or its first `most_changes` changes: fewer of them where thousands of actions act at once.
[[nodiscard]] Overview survey(const ir::Recipe& recipe, const Run& run, std::uint64_t most_changes = UINT64_MAX);

// The same, with factors where the trainer's rate is not known.
[[nodiscard]] Overview survey_for_people(const ir::Recipe& recipe, const Run& run, std::uint64_t most_changes);

// Returns at most `most` (2 or more) steps of the window from `first` to `last` that show the course of a run, in
// order: both ends of the window, starts and ends of actions, what happens rarely, and quarters of what goes on.
[[nodiscard]] std::vector<std::uint64_t> milestones(const Overview& overview, std::uint64_t first, std::uint64_t last,
                                                    std::size_t most);

}  // namespace sparsecfg::timeline
