#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>

#include "source/save.h"

namespace sparsecfg::cmd {

// Passes an output on and, once that takes more than a second, shows on a terminal how much of it
// there is; the line is wiped out at the end.
class Progress {
 public:
  // `terminal` is where to show it; null for nowhere.
  explicit Progress(std::ostream* terminal) : terminal_(terminal) {}

  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  [[nodiscard]] source::Write through(const source::Write& write);

 private:
  void note(std::size_t bytes);

  using Clock = std::chrono::steady_clock;

  std::ostream* terminal_;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
  std::uint64_t bytes_ = 0;
  bool shown_ = false;
};

}  // namespace sparsecfg::cmd
