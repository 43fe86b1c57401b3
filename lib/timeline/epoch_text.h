#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparsecfg::timeline {

// Writes the epochs of steps one after the other, each as Python prints the double that the clock
// makes of it (ir::epoch_of). Where the fractions of an epoch are short decimals they are written
// from a table.
class EpochText {
 public:
  explicit EpochText(std::uint64_t steps_per_epoch);

  // `out` has room for base::kReprSize characters; answers the end of the text.
  char* write(char* out, std::uint64_t step);

 private:
  void enter(std::uint64_t epoch);

  std::uint64_t steps_per_epoch_;

  struct Fraction {
    char text[7] = {};  // ".0", ".002" ...
    char size = 0;
  };

  std::vector<Fraction> fractions_;  // empty where the table does not serve
  std::uint64_t table_from_ = 0;     // the first whole epoch for which it does
  std::uint64_t table_until_ = 0;    // and the first for which it does not any more
  std::uint64_t epoch_ = 0;          // the whole epoch whose digits are in `whole_`
  std::uint64_t begin_ = 0;          // its first step
  char whole_[20] = {};
  std::size_t whole_size_ = 0;
};

}  // namespace sparsecfg::timeline
