#include "timeline/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/limits.h"
#include "base/number.h"
#include "timeline/overall.h"
#include "timeline/overview.h"
#include "timeline/sampler.h"

namespace sparsecfg::timeline {

constexpr std::size_t kStepWidth = 9;
constexpr std::size_t kEpochWidth = 10;
constexpr std::size_t kRateWidth = 13;
constexpr std::size_t kCellWidth = 10;

constexpr std::size_t kMaxRows = 25;
constexpr std::size_t kRowsBelowHeader = 40;

// Three digits are enough for reading, but a value below 1 is not printed as 1. CSV and JSON Lines contain all digits.
static std::string cell(const std::optional<double>& value) {
  if (!value) {
    return "";
  }
  if (std::isnan(*value)) return "nan";  // of either sign
  const std::string text = fmt::format("{:.3g}", *value);
  return text == "1" && *value < 1 ? fmt::format("{:.6g}", *value) : text;
}

class TableWriter {
 public:
  TableWriter(const ir::Recipe& recipe, const RatedRun& run, std::size_t width, const source::Write& write)
      : recipe_(recipe),
        run_(run.run),
        factors_(run.factors),
        write_(write),
        evaluator_(recipe, run_),
        overall_(recipe, run_, evaluator_) {
    const std::size_t rates = recipe.has_rates ? kRateWidth : 0;
    const std::size_t fixed = kStepWidth + kEpochWidth + rates + (overall_.known() ? kCellWidth : 0);
    set_columns(std::max(width, fixed) - fixed);
  }

  // Writes a row for each of these ascending steps. `complete`: true if the overview is complete.
  bool write_at(const std::vector<std::uint64_t>& steps, bool complete) {
    Sampler sampler(evaluator_, overall_, complete);
    for (const std::uint64_t step : steps) {
      if (!sampler.move_to(step)) return write_(fmt::format("{}\n", kRowsOmitted));
      if (!put(row_text(step))) return false;
    }
    return true;
  }

  bool write_all(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row <= last; ++row) {
      (void)advance_to(row);
      if (!put(row_text(row))) return false;
    }
    return true;
  }

  // Skips rows with the same values as the previous row.
  bool write_changes(std::uint64_t first, std::uint64_t last) {
    std::string printed;
    for (std::uint64_t row = first; row <= last; row = row == last ? row + 1 : std::min(evaluator_.next_step(), last)) {
      const bool notable = advance_to(row);
      if (!notable && row != first && row != last && row % run_.steps_per_epoch != 0) continue;
      const std::string text = row_text(row);
      if (text_of_values_ == printed && row != last && !notable) continue;
      if (!put(text)) return false;
      printed = text_of_values_;
    }
    return true;
  }

 private:
  // Columns have the names of their actions if all of them fit. Otherwise, they have numbers.
  void set_columns(std::size_t room) {
    std::size_t needed = 0;
    for (const Column& column : evaluator_.columns()) {
      headings_.push_back(heading_of(column.label));
      widths_.push_back(std::max(kCellWidth, headings_.back().size() + 2));
      needed += widths_.back();
    }
    for (std::size_t column = 0; column < headings_.size(); ++column) order_.push_back(column);
    shown_ = order_.size();
    if (needed <= room) return;
    if (shown_ * kCellWidth > room) order_ = distinct_columns();
    shown_ = std::min(order_.size(), room / kCellWidth);
    for (std::size_t column = 0; column < headings_.size(); ++column) {
      headings_[column] = fmt::format("[{}]", column + 1);
      widths_[column] = kCellWidth;
    }
  }

  // Returns the first column of each schedule.
  std::vector<std::size_t> distinct_columns() const {
    std::vector<std::size_t> out;
    std::set<std::size_t> tracks;
    for (std::size_t column = 0; column < headings_.size(); ++column) {
      if (tracks.insert(evaluator_.columns()[column].track).second) out.push_back(column);
    }
    return out;
  }

  // "GMPruning#2" for `GMPruningModifier#2`
  static std::string heading_of(std::string label) {
    constexpr std::string_view kWord = "Modifier";
    const std::size_t at = label.find("Modifier#");
    return at == std::string::npos || at == 0 ? label : label.erase(at, kWord.size());
  }

  // Returns true if the step deserves a separate row.
  bool advance_to(std::uint64_t step) {
    bool notable = false;
    while (evaluator_.next_step() <= step) {
      evaluator_.advance();
      overall_.follow(evaluator_);
      notable = notable || (evaluator_.step() == step && is_notable());
    }
    return notable;
  }

  // Repeats the header in a long table.
  bool put(const std::string& row) {
    const bool headed = rows_++ % kRowsBelowHeader != 0 || write_(header());
    return headed && write_(row);
  }

  // Returns true at starts, ends and updates of pruners. A learning rate that changes at every step is shown once per
  // epoch.
  bool is_notable() const {
    return std::ranges::any_of(evaluator_.events(), [&](const Event& event) {
      const ir::Action& action = recipe_.actions[event.action];
      const bool rarely = action.cadence.every() == nullptr ||
                          action.cadence.every()->value * static_cast<double>(run_.steps_per_epoch) > 1;
      return event.kind != Event::Kind::update ||
             (rarely && !std::holds_alternative<ir::LearningRateCurve>(action.effect));
    });
  }

  std::string header() const {
    std::string line = fmt::format("\n{:>{}}{:>{}}", "step", kStepWidth, "epoch", kEpochWidth);
    line += recipe_.has_rates ? fmt::format("{:>{}}", factors_ ? "lr factor" : "lr", kRateWidth) : "";
    line += overall_.known() ? fmt::format("{:>{}}", "all", kCellWidth) : "";
    for (std::size_t at = 0; at < shown_; ++at) {
      line += fmt::format("{:>{}}", headings_[order_[at]], widths_[order_[at]]);
    }
    return (rows_ <= 1 ? hidden_columns() : "") + line + "\n";
  }

  // "[7] to [10] are not shown in the table; use --format csv for all columns"
  std::string hidden_columns() const {
    const std::size_t all = order_.size();
    const bool joined = all < evaluator_.columns().size();
    const std::string note = joined ? "\ncolumns with the same schedule share the first of them\n" : "";
    if (shown_ == all) {
      return note;
    }
    const std::size_t first = order_[shown_] + 1;
    const std::size_t last = order_.back() + 1;
    const std::string which =
        first == last ? fmt::format("[{}] is", last) : fmt::format("[{}] to [{}] are", first, last);
    return note + fmt::format("\n{} not shown in the table; use --format csv for all columns\n", which);
  }

  std::string row_text(std::uint64_t row) {
    const auto& rate = evaluator_.optimizer().groups().front().rate;
    text_of_values_ = recipe_.has_rates ? fmt::format("{:>{}}", cell(rate), kRateWidth) : "";
    text_of_values_ += overall_.known() ? fmt::format("{:>{}}", cell(overall_.value()), kCellWidth) : "";
    for (std::size_t at = 0; at < shown_; ++at) {
      const std::size_t column = order_[at];
      const Column& shown = evaluator_.columns()[column];
      const std::string value = evaluator_.is_off(shown) ? "off" : cell(evaluator_.sparsities()[shown.track]);
      text_of_values_ += fmt::format("{:>{}}", value, widths_[column]);
    }
    std::string line =
        fmt::format("{:>{}}{:>{}}", row, kStepWidth, fmt::format("{:.6g}", run_.epoch_of(row)), kEpochWidth) +
        text_of_values_;
    line.erase(line.find_last_not_of(' ') + 1);
    return line + (row == run_.steps() ? "  (end)\n" : "\n");
  }

  const ir::Recipe& recipe_;
  const Run& run_;
  bool factors_;
  const source::Write& write_;
  Evaluator evaluator_;
  Overall overall_;
  std::vector<std::size_t> order_;     // of the columns that the table may show
  std::size_t shown_ = 0;              // number of them that fit
  std::vector<std::string> headings_;  // by column
  std::vector<std::size_t> widths_;
  std::size_t rows_ = 0;        // number of rows printed
  std::string text_of_values_;  // values of the last row, as text
};

bool write_table(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file, std::uint64_t first,
                 std::uint64_t last, const TableStyle& style, const source::Write& write) {
  const Overview overview = survey_for_display(recipe, run, limits::kMaxChanges);
  const std::string summary = summarize(recipe, run, file, overview);
  if (!write(style.page ? style.page(summary) : summary) || (!style.plot.empty() && !write("\n" + style.plot))) {
    return false;
  }
  last = std::min(last, run.steps());
  if (first > last) {
    return true;
  }
  const RatedRun rated(recipe, run);
  TableWriter table(recipe, rated, style.width, write);
  switch (style.rows) {
    case Rows::milestones: return table.write_at(milestones(overview, run, first, last, kMaxRows), overview.complete);
    case Rows::changes: return table.write_changes(first, last);
    case Rows::steps: break;
  }
  return table.write_all(first, last);
}

}  // namespace sparsecfg::timeline
