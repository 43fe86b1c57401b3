#include "timeline/sampler.h"

namespace sparsecfg::timeline {

bool Sampler::move_to(std::uint64_t step) {
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

}  // namespace sparsecfg::timeline
