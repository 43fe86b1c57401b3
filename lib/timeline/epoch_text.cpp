#include "timeline/epoch_text.h"

#include <cmath>

#include "base/number.h"
#include "ir/clock.h"

namespace sparsecfg::timeline {

// The decimals of every multiple of 1/n, or 0 where they never end or are too many.
static int decimals_of(std::uint64_t n) {
  std::uint64_t power = 1;
  for (int decimals = 1; decimals <= 6; ++decimals) {
    power *= 10;
    if (power % n == 0) {
      return decimals;
    }
  }
  return 0;
}

// The clock adds the double nearest to k/n to a whole epoch, and the sum could be rounded to
// another double than the one nearest to the decimal. It can't from epoch 5^d on, d being the
// decimals: a decimal that is not a double lies at least 1/(5^d 2^(53-t)) away from any point between
// two doubles near 2^t, which then is more than the 2^-54 by which k/n was rounded. And up to
// fifteen digits the shortest text of the nearest double is the decimal itself.
EpochText::EpochText(std::uint64_t steps_per_epoch) : steps_per_epoch_(steps_per_epoch) {
  const int decimals = decimals_of(steps_per_epoch);
  if (decimals == 0) {
    return;
  }
  for (std::uint64_t step = 0; step < steps_per_epoch; ++step) {
    fractions_.push_back(base::python_repr(ir::epoch_of(step, steps_per_epoch)).substr(1));
    if (fractions_.back().find('e') != std::string::npos) {
      fractions_.clear();
      return;
    }
  }
  table_from_ = static_cast<std::uint64_t>(std::pow(5, decimals));
  table_until_ = 1'000'000'000;
}

void EpochText::enter(std::uint64_t epoch) {
  epoch_ = epoch;
  begin_ = epoch * steps_per_epoch_;
  whole_ = std::to_string(epoch);
}

char* EpochText::write(char* out, std::uint64_t step) {
  if (epoch_ == UINT64_MAX || step < begin_ || step - begin_ >= steps_per_epoch_) {
    enter(step / steps_per_epoch_);
  }
  if (fractions_.empty() || epoch_ < table_from_ || epoch_ >= table_until_) {
    return base::write_repr(out, ir::epoch_of(step, steps_per_epoch_));
  }
  const std::string& fraction = fractions_[step - begin_];
  out = whole_.copy(out, whole_.size()) + out;
  return fraction.copy(out, fraction.size()) + out;
}

}  // namespace sparsecfg::timeline
