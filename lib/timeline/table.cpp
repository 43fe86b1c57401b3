#include "timeline/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "timeline/overall.h"

namespace sparsecfg::timeline {

constexpr std::size_t kStepWidth = 9;
constexpr std::size_t kEpochWidth = 10;
constexpr std::size_t kRateWidth = 13;
constexpr std::size_t kCellWidth = 10;

// Six digits are enough to read; CSV and JSON Lines have all of them.
static std::string cell(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; }

class TableWriter {
 public:
  TableWriter(const ir::Recipe& recipe, const Run& run, std::size_t width, const source::Write& write)
      : recipe_(recipe), run_(run), write_(write), evaluator_(recipe, run), overall_(recipe, run, evaluator_) {
    const std::size_t fixed = kStepWidth + kEpochWidth + kRateWidth + (overall_.known() ? kCellWidth : 0);
    const std::size_t left = std::max(width, fixed) - fixed;
    shown_ = std::min(evaluator_.columns().size(), left / kCellWidth);
  }

  bool write(std::uint64_t first, std::uint64_t last, bool every_step) {
    last = std::min(last, run_.steps());
    bool whole = write_(header());
    std::uint64_t row = first;
    while (whole && row <= last) {
      bool notable = false;
      while (evaluator_.next_step() <= row) {
        evaluator_.advance();
        overall_.follow(evaluator_);
        notable = notable || (evaluator_.step() == row && is_notable());
      }
      const bool shown = every_step || notable || row == first || row == last || row % run_.steps_per_epoch == 0;
      const std::string text = shown ? row_text(row) : "";
      if (shown && (every_step || text_of_values_ != printed_ || row == last || notable)) {
        whole = write_(text);
        printed_ = text_of_values_;
      }
      row = every_step || row == last ? row + 1 : std::min(evaluator_.next_step(), last);
    }
    return whole;
  }

 private:
  // Starts, ends and updates of pruners; a learning rate that moves at every step is shown by epoch.
  bool is_notable() const {
    return std::ranges::any_of(evaluator_.events(), [&](const Event& event) {
      const ir::Action& action = recipe_.actions[event.action];
      const bool rarely =
          !action.cadence.every || action.cadence.every->value * static_cast<double>(run_.steps_per_epoch) > 1;
      return event.kind != Event::Kind::update ||
             (rarely && !std::holds_alternative<ir::LearningRateCurve>(action.effect));
    });
  }

  std::string header() const {
    std::string line = fmt::format("\n{:>{}}{:>{}}{:>{}}", "step", kStepWidth, "epoch", kEpochWidth, "lr", kRateWidth);
    line += overall_.known() ? fmt::format("{:>{}}", "all", kCellWidth) : "";
    for (std::size_t column = 0; column < shown_; ++column) {
      line += fmt::format("{:>{}}", fmt::format("[{}]", column + 1), kCellWidth);
    }
    const std::size_t hidden = evaluator_.columns().size() - shown_;
    return line + (hidden > 0 ? fmt::format("  and {} more (--format csv)\n", hidden) : "\n");
  }

  std::string row_text(std::uint64_t row) {
    text_of_values_ = fmt::format("{:>{}}", cell(evaluator_.optimizer().groups().front().rate), kRateWidth);
    text_of_values_ += overall_.known() ? fmt::format("{:>{}}", cell(overall_.value()), kCellWidth) : "";
    for (std::size_t column = 0; column < shown_; ++column) {
      const Column& shown = evaluator_.columns()[column];
      const std::string value = evaluator_.is_off(shown) ? "off" : cell(evaluator_.sparsities()[shown.track]);
      text_of_values_ += fmt::format("{:>{}}", value, kCellWidth);
    }
    std::string line =
        fmt::format("{:>{}}{:>{}}", row, kStepWidth, fmt::format("{:.6g}", run_.epoch_of(row)), kEpochWidth) +
        text_of_values_;
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  const ir::Recipe& recipe_;
  const Run& run_;
  const source::Write& write_;
  Evaluator evaluator_;
  Overall overall_;
  std::size_t shown_ = 0;
  std::string text_of_values_;  // of the row made last
  std::string printed_;         // of the row printed last
};

bool write_table(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file, std::uint64_t first,
                 std::uint64_t last, bool every_step, std::size_t width, const source::Write& write) {
  return write(summarize(recipe, run, file)) && TableWriter(recipe, run, width, write).write(first, last, every_step);
}

}  // namespace sparsecfg::timeline
