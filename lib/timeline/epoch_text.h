#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparsecfg::timeline {

// Writes the epochs of successive steps as Python prints the double that the clock computes (ir::epoch_of). If the
// fractions of an epoch are short decimals, they are written from a table.
class EpochText {
 public:
  explicit EpochText(std::uint64_t steps_per_epoch);

  // `out` must have room for base::kReprSize characters. Returns the end of the text.
  char* write(char* out, std::uint64_t step);

 private:
  void enter(std::uint64_t epoch);

  std::uint64_t steps_per_epoch_;

  struct Fraction {
    char text[7] = {};  // ".0", ".002" ...
    char size = 0;
  };

  std::vector<Fraction> fractions_;  // empty if the table can't be used
  std::uint64_t table_from_ = 0;     // first whole epoch that the table covers
  std::uint64_t table_until_ = 0;    // first later epoch that it does not cover
  std::uint64_t epoch_ = 0;          // the whole epoch whose digits are in `whole_`
  std::uint64_t begin_ = 0;          // its first step
  char whole_[20] = {};
  std::size_t whole_size_ = 0;
};

}  // namespace sparsecfg::timeline
