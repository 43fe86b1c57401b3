#include "timeline/epoch_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/number.h"
#include "ir/clock.h"

namespace sparsecfg::timeline {

// Returns the number of decimals that every multiple of 1/n needs, or 0 if they never end or are too many.
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

// The clock adds the double nearest to k/n to a whole epoch. That sum could round to another double than the one
// nearest to the decimal. It can't from epoch 5^d on, where d is the number of decimals: a decimal that is not a double
// lies at least 1/(5^d 2^(53-t)) away from any midpoint between two doubles near 2^t. This is more than the 2^-54 by
// which k/n was rounded. Up to fifteen digits, the shortest text of the nearest double is the decimal itself.
EpochText::EpochText(std::uint64_t steps_per_epoch) : steps_per_epoch_(steps_per_epoch) {
  enter(0);
  const int decimals = decimals_of(steps_per_epoch);
  if (decimals == 0) {
    return;
  }
  for (std::uint64_t step = 0; step < steps_per_epoch; ++step) {
    const std::string text = base::python_repr(ir::epoch_of(step, steps_per_epoch)).substr(1);
    if (text.find('e') != std::string::npos) {
      fractions_.clear();
      return;
    }
    text.copy(fractions_.emplace_back().text, sizeof Fraction::text);
    fractions_.back().size = static_cast<char>(text.size());
  }
  table_from_ = static_cast<std::uint64_t>(std::pow(5, decimals));
  table_until_ = 1'000'000'000;
}

void EpochText::enter(std::uint64_t epoch) {
  epoch_ = epoch;
  begin_ = epoch * steps_per_epoch_;
  whole_size_ = static_cast<std::size_t>(std::to_chars(whole_, whole_ + sizeof whole_, epoch).ptr - whole_);
}

char* EpochText::write(char* out, std::uint64_t step) {
  if (step - begin_ >= steps_per_epoch_) {
    enter(step / steps_per_epoch_);
  }
  if (fractions_.empty() || epoch_ < table_from_ || epoch_ >= table_until_) {
    return base::write_repr(out, ir::epoch_of(step, steps_per_epoch_));
  }
  const Fraction& fraction = fractions_[static_cast<std::size_t>(step - begin_)];
  std::memcpy(out, whole_, sizeof whole_);
  std::memcpy(out + whole_size_, fraction.text, sizeof fraction.text);
  return out + whole_size_ + static_cast<std::size_t>(fraction.size);
}

}  // namespace sparsecfg::timeline
