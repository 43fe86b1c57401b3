#include "cmd/progress.h"

#include <fmt/format.h>

#include <string>

namespace sparsecfg::cmd {

constexpr std::size_t kLine = 40;

source::Write Progress::through(const source::Write& write) {
  return [this, &write](std::string_view piece) {
    if (terminal_ != nullptr) {
      note(piece.size());
    }
    return write(piece);
  };
}

void Progress::note(std::size_t bytes) {
  bytes_ += bytes;
  const Clock::time_point now = Clock::now();
  if (now >= next_) {
    *terminal_ << fmt::format("\r{:{}}", fmt::format("{} MB written", bytes_ / 1'000'000), kLine) << std::flush;
    next_ = now + std::chrono::milliseconds(200);
    shown_ = true;
  }
}

Progress::~Progress() {
  if (shown_) {
    *terminal_ << '\r' << std::string(kLine, ' ') << '\r' << std::flush;
  }
}

}  // namespace sparsecfg::cmd
