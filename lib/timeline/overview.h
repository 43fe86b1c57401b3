#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "timeline/evaluator.h"

namespace sparsecfg::timeline {

// The figures of a whole run.
struct Overview {
  struct Phase {
    std::optional<std::uint64_t> start;  // the step of its start; nothing: it never started
    std::optional<std::uint64_t> last;   // the last step at which it acted
    std::optional<std::uint64_t> end;    // the step of its end; nothing: it never ended
    std::optional<std::uint64_t> observers_off;
    std::optional<std::uint64_t> batch_norm_frozen;
    std::uint64_t updates = 0;  // times that it acted, the start and the end among them
  };

  std::vector<Column> columns;
  std::vector<std::optional<double>> reached;  // by column: the last sparsity applied
  std::vector<Phase> phases;                   // by action
  std::optional<double> min_rate;            // of the first parameter group, where it is known
  std::optional<double> max_rate;
  std::optional<double> last_rate;
  std::uint64_t rate_known_from = kNever;  // the first step whose rate is known
  std::optional<double> overall;           // of all weights together, where their shapes are known
  std::uint64_t weights = 0;               // their elements; 0 where not known
  bool complete = true;                    // false: the run has more changes than were followed
};

// Follows the whole run, or its first `most_changes` changes.
[[nodiscard]] Overview survey(const ir::Recipe& recipe, const Run& run, std::uint64_t most_changes = UINT64_MAX);

}  // namespace sparsecfg::timeline
