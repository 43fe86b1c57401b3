#include "ir/trigger.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace sparsecfg::ir {

// Skipping fewer updates than this is not worthwhile.
constexpr double kManyUpdates = 8;

// -1 means immediately. No epoch lies between -1 and 0.
static std::uint64_t start_step(const Cadence& cadence, std::uint64_t steps_per_epoch) {
  const double start = cadence.start.value;
  if (start == -1 && cadence.is<SinceLastUpdate>()) {
    return 0;
  }
  return start >= 0 && start <= kMaxEpochs ? first_step_at(start, steps_per_epoch) : kNever;
}

static std::uint64_t end_step(const Cadence& cadence, std::uint64_t steps_per_epoch) {
  const double end = cadence.end.value;
  return end >= 0 && end <= kMaxEpochs ? first_step_at(end, steps_per_epoch) : kNever;
}

static bool is_epoch(double epoch) { return epoch >= 0 && epoch <= kMaxEpochs && epoch == std::floor(epoch); }

Epochs::Epochs(const Cadence& cadence) {
  for (const auto& epoch : cadence.listed()) {
    if (is_epoch(epoch.value)) listed_.push_back(static_cast<std::uint64_t>(epoch.value));
  }
  std::ranges::sort(listed_, std::greater<>());
  listed_.erase(std::unique(listed_.begin(), listed_.end()), listed_.end());
  const bool range = cadence.listed().empty() && cadence.every_or(0) >= 1;
  if (range && is_epoch(cadence.start.value) && cadence.end.value > cadence.start.value) {
    next_ = static_cast<std::uint64_t>(cadence.start.value);
    end_ = static_cast<std::uint64_t>(std::min(cadence.end.value, kMaxEpochs));
    every_ = static_cast<std::uint64_t>(std::min(cadence.every()->value, kMaxEpochs));
  }
}

std::uint64_t Epochs::peek() const { return !listed_.empty() ? listed_.back() : next_; }

std::uint64_t Epochs::next() {
  const std::uint64_t epoch = peek();
  if (!listed_.empty()) {
    listed_.pop_back();
  } else if (next_ != kNever) {
    next_ = next_ + every_ < end_ ? next_ + every_ : kNever;
  }
  return epoch;
}

void Epochs::skip_to(std::uint64_t epoch) {
  while (listed_.size() > 1 && listed_[listed_.size() - 2] <= epoch) listed_.pop_back();
  if (listed_.empty() && next_ < epoch) {
    next_ += (std::min(epoch, end_ - 1) - next_) / every_ * every_;
  }
}

Trigger::Trigger(const Cadence& cadence, std::uint64_t steps_per_epoch)
    : steps_per_epoch_(steps_per_epoch),
      drifts_(cadence.is<SinceLastUpdate>()),
      start_(start_step(cadence, steps_per_epoch)),
      end_(end_step(cadence, steps_per_epoch)) {
  if (cadence.every() != nullptr) {
    every_ = cadence.every()->value;
  }
  if (start_ != kNever && drifts_) {
    end_ = std::max(end_, start_);  // an action that is over before it starts ends in its start step
  }
  if (const auto* epochs = std::get_if<WholeEpochs>(&cadence.rhythm)) {
    epochs_.emplace(cadence);
    skips_first_ = epochs->skips_first;
    within_ = static_cast<std::uint64_t>(std::max(epochs->within, std::int64_t{0}));
  }
  if (cadence.counted() != nullptr) {
    counted_ = *cadence.counted();
  }
}

Tick Trigger::next() {
  if (epochs_) {
    return next_of_epochs();
  }
  if (counted_) {
    return next_of_counted();
  }
  return drifts_ ? next_since_last() : next_of_batches();
}

Tick Trigger::next_since_last() {
  if (last_ == kNever) {
    last_ = start_;
    return {start_, true, start_ == end_};
  }
  if (last_ >= end_) {
    return {};
  }
  std::uint64_t step = kNever;
  if (every_ && *every_ <= 0) {
    step = last_ + 1;
  } else if (every_) {
    // Adds in doubles, like the framework: 0.2 + 0.1 is more than 0.3 and skips a step.
    const double next_step = epoch_of(last_, steps_per_epoch_) + *every_;
    step = next_step <= kMaxEpochs ? std::max(first_step_at(next_step, steps_per_epoch_), last_ + 1) : kNever;
  }
  last_ = std::min(step, end_);
  return {last_, false, last_ == end_};
}

// Returns the first step of an epoch at which an action acts although its first update is skipped. Step 1 of a run
// makes up for a skipped update, also if it is the first step of epoch 1 (docs/semantics/distiller.md#b2-8, #c8-1).
// Returns kNever if this epoch contains none.
std::uint64_t Trigger::step_within(std::uint64_t epoch) const {
  const std::uint64_t begin = epoch * steps_per_epoch_;
  const std::uint64_t end = begin + steps_per_epoch_;
  if (begin <= 1 && end > 1) {
    return 1;
  }
  const auto within = within_;
  const std::uint64_t step = within == 0 ? kNever : (begin / within + 1) * within;
  return step < end ? step : kNever;
}

Tick Trigger::next_of_epochs() {
  const bool first = last_ == kNever;
  std::uint64_t epoch = epochs_->next();
  if (epoch == kNever) {
    return {};
  }
  last_ = epoch * steps_per_epoch_;
  if (first && skips_first_) {
    const std::uint64_t late = step_within(epoch);
    epoch = late == kNever ? epochs_->next() : epoch;
    if (epoch == kNever) {
      return {};
    }
    last_ = late == kNever ? epoch * steps_per_epoch_ : late;
  }
  return {last_, first, epochs_->peek() == kNever};
}

Tick Trigger::next_of_counted() {
  const StepSchedule& counted = *counted_;
  if (fired_ == counted.times) {
    return {};
  }
  const std::uint64_t unit = counted.in_epochs ? steps_per_epoch_ : 1;
  const std::uint64_t step = (counted.first + fired_ * counted.every) * unit;
  ++fired_;
  return {step, fired_ == 1, fired_ == counted.times};
}

Tick Trigger::skipped(Tick tick, std::uint64_t step) {
  if (tick.starts || tick.ends || tick.step >= step) {
    return tick;
  }
  if (epochs_) {
    epochs_->skip_to(step / steps_per_epoch_);
    return epochs_->peek() <= step / steps_per_epoch_ ? next_of_epochs() : tick;
  }
  if (counted_) {
    const StepSchedule& counted = *counted_;
    const std::uint64_t since = step / (counted.in_epochs ? steps_per_epoch_ : 1) - counted.first;
    fired_ = std::max(fired_ - 1, std::min(since / counted.every, counted.times - 1));
    return next_of_counted();
  }
  const double every = drifts_ && every_ ? *every_ * static_cast<double>(steps_per_epoch_) : 1;
  if (every * kManyUpdates > static_cast<double>(step - tick.step)) {
    return tick;
  }
  const std::uint64_t last = end_ == kNever || drifts_ ? end_ : end_ - 1;
  last_ = std::min(step, last);
  return {last_, false, last_ == last};
}

// Half a step leaves a margin for rounding errors in sums of epochs.
bool Trigger::acts_at_every_step() const {
  if (epochs_ || counted_) {
    return false;
  }
  return !drifts_ || (every_ && *every_ * static_cast<double>(steps_per_epoch_) <= 0.5);
}

std::uint64_t Trigger::steady_until(const Tick& tick) const {
  if (tick.starts || tick.ends || tick.step == kNever || !acts_at_every_step()) {
    return tick.step;
  }
  return end_ == kNever || drifts_ ? end_ : end_ - 1;
}

Tick Trigger::moved_to(std::uint64_t step) {
  last_ = step;
  return {step, false, false};
}

Tick Trigger::next_of_batches() {
  const bool first = last_ == kNever;
  const std::uint64_t step = first ? start_ : last_ + 1;
  if (step == kNever || step >= end_) {
    return {};
  }
  last_ = step;
  return {step, first, step + 1 == end_};
}

}  // namespace sparsecfg::ir
