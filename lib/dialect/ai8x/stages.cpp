#include "dialect/ai8x/stages.h"

#include <cmath>
#include <limits>

namespace sparsecfg::dialect::ai8x {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

// The training script looks for the first end that an epoch has not reached. An end before an earlier one therefore
// never decides, and the last level continues after the last end. Ends within an epoch count from the next epoch on.
class WindowList {
 public:
  explicit WindowList(double start) : end_(start), reached_(std::ceil(start)) {}

  void add(std::size_t stage, std::size_t level, double epochs) {
    end_ += epochs;
    last_ = {stage, level, reached_, kNoEnd};
    if (const double end = std::ceil(end_); end > reached_) {
      windows_.push_back({stage, level, reached_, end});
      reached_ = end;
    }
  }

  std::vector<StageWindow> take() {
    const bool same = !windows_.empty() && windows_.back().stage == last_.stage && windows_.back().level == last_.level;
    if (same) {
      windows_.back().end = kNoEnd;
    } else {
      windows_.push_back(last_);
    }
    return std::move(windows_);
  }

 private:
  double end_;
  double reached_;
  StageWindow last_;
  std::vector<StageWindow> windows_;
};

std::optional<std::vector<StageWindow>> windows_of(double start, const std::array<StageSettings, 3>& stages) {
  WindowList list(start);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const auto& [leveling, epochs, levels] = stages[stage];
    if (!leveling) {
      list.add(stage, 0, epochs);
    } else if (!levels) {
      return std::nullopt;
    } else {
      for (std::size_t level = 1; level <= *levels; ++level) list.add(stage, level, epochs);
    }
  }
  return list.take();
}

// Returns the epochs in which a new stage begins.
static std::vector<double> stage_starts(const std::vector<StageWindow>& windows) {
  std::vector<double> starts;
  const StageWindow* before = nullptr;
  for (const StageWindow& window : windows) {
    if (before == nullptr || before->stage != window.stage) starts.push_back(window.begin);
    before = &window;
  }
  return starts;
}

std::vector<TeacherWindow> teachers_of(Teacher teacher, const std::vector<StageWindow>& windows) {
  const std::vector<double> starts = stage_starts(windows);
  std::vector<TeacherWindow> out;
  for (std::size_t at = 0; teacher != Teacher::none && at < starts.size(); ++at) {
    const bool only_next = teacher == Teacher::prev_stage_model && at + 1 < starts.size();
    if (at == 0 || teacher != Teacher::full_model) out.push_back({starts[at], only_next ? starts[at + 1] : kNoEnd});
  }
  return out;
}

}  // namespace sparsecfg::dialect::ai8x
