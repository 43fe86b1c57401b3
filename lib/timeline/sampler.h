#pragma once

#include <cstdint>

#include "timeline/overall.h"

namespace sparsecfg::timeline {

// Goes from row to row of a table. In a run with more changes than are followed it leaves out updates between two rows,
// and gives up where there are too many even so.
class Sampler {
 public:
  // `complete`: whether the whole run was followed before (Overview). Both others must outlive it.
  Sampler(Evaluator& evaluator, Overall& overall, bool complete)
      : evaluator_(evaluator), overall_(overall), complete_(complete), limit_(evaluator.work_per_change()) {}

  // Moves to the state in force at a step, which is behind that of the last call. Returns false if it is out of reach.
  [[nodiscard]] bool move_to(std::uint64_t step);

 private:
  Evaluator& evaluator_;
  Overall& overall_;
  bool complete_;
  WorkLimit limit_;
};

// What a table says in place of the rows that are out of reach.
inline constexpr const char* kOutOfReach = "what follows has more changes than a table can leave out";

}  // namespace sparsecfg::timeline
