#include "timeline/firing.h"

#include <algorithm>
#include <cmath>

namespace sparsecfg::timeline {

// -1 means at once; between -1 and 0 no epoch ever is, and nan is reached by none.
static std::uint64_t start_step(const ir::Cadence& cadence, const Run& run) {
  const double start = cadence.start.value;
  if (start == -1 && cadence.kind == ir::Cadence::Kind::drifting) {
    return 0;
  }
  return start >= 0 && start <= ir::kMostEpochs ? run.first_step_at(start) : kNever;
}

static std::uint64_t end_step(const ir::Cadence& cadence, const Run& run) {
  const double end = cadence.end.value;
  return end >= 0 && end <= ir::kMostEpochs ? run.first_step_at(end) : kNever;
}

Firing::Firing(const ir::Cadence& cadence, const Run& run)
    : cadence_(&cadence), run_(&run), start_(start_step(cadence, run)), end_(end_step(cadence, run)) {
  if (start_ != kNever && cadence.kind == ir::Cadence::Kind::drifting) {
    end_ = std::max(end_, start_);  // what is over before it starts ends in the step of its start
  }
}

Fire Firing::next() {
  if (cadence_->counted) {
    return next_of_counted();
  }
  return cadence_->kind == ir::Cadence::Kind::drifting ? next_of_drifting() : next_of_batches();
}

Fire Firing::next_of_drifting() {
  if (last_ == kNever) {
    last_ = start_;
    return {start_, true, start_ == end_};
  }
  if (last_ >= end_) {
    return {};
  }
  std::uint64_t step = kNever;
  if (cadence_->every && cadence_->every->value <= 0) {
    step = last_ + 1;
  } else if (cadence_->every) {
    // In doubles, as the framework adds them: 0.2 + 0.1 is more than 0.3 and skips a step.
    const double due = run_->epoch_of(last_) + cadence_->every->value;
    step = due <= ir::kMostEpochs ? std::max(run_->first_step_at(due), last_ + 1) : kNever;
  }
  last_ = std::min(step, end_);
  return {last_, false, last_ == end_};
}

Fire Firing::next_of_counted() {
  const ir::Counted& counted = *cadence_->counted;
  if (fired_ == counted.times) {
    return {};
  }
  const std::uint64_t unit = counted.in_epochs ? run_->steps_per_epoch : 1;
  const std::uint64_t step = (counted.first + fired_ * counted.every) * unit;
  ++fired_;
  return {step, fired_ == 1, fired_ == counted.times};
}

Fire Firing::next_of_batches() {
  const bool first = last_ == kNever;
  const std::uint64_t step = first ? start_ : last_ + 1;
  if (step == kNever || step >= end_) {
    return {};
  }
  last_ = step;
  return {step, first, step + 1 == end_};
}

}  // namespace sparsecfg::timeline
