#pragma once

#include <cstdint>

#include "timeline/overall.h"

namespace sparsecfg::timeline {

// Moves from row to row of a table. In a run with too many changes to follow, skips updates between two rows, and gives
// up if there are still too many.
class Sampler {
 public:
  // `complete`: true if the whole run was followed before (Overview). The other arguments must outlive this object.
  Sampler(Evaluator& evaluator, Overall& overall, bool complete)
      : evaluator_(evaluator), overall_(overall), complete_(complete), limit_(evaluator.work_per_change()) {}

  // Moves to the state at `step`, which must be after that of the last call. Returns false if it is unreachable.
  [[nodiscard]] bool move_to(std::uint64_t step) {
    const auto skip = [&] {
      if (!complete_) evaluator_.skip_to(step);
    };
    for (skip(); evaluator_.next_step() <= step; skip()) {
      if (!complete_ && !limit_.take(evaluator_.events().size())) {
        return false;
      }
      evaluator_.advance();
      overall_.follow(evaluator_);
    }
    return true;
  }

 private:
  Evaluator& evaluator_;
  Overall& overall_;
  bool complete_;
  WorkLimit limit_;
};

// Printed instead of the unreachable rows of a table.
inline constexpr const char* kRowsOmitted = "the remaining rows are omitted because the run has too many changes";

}  // namespace sparsecfg::timeline
