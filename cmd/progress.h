#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>

#include "source/save.h"

namespace sparsecfg::cmd {

// Forwards output. After one second, shows on a terminal how many megabytes were written. The destructor clears that
// line.
class Progress {
 public:
  // `terminal` receives the progress line; null shows nothing.
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
