#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/recipe.h"
#include "timeline/run.h"

// Compares a schedule with the log of a run.
namespace sparsecfg::timeline {

// A row of a log. Values are in the order of the columns; nullopt: not logged at this step.
struct LogRow {
  std::uint64_t step = 0;
  std::vector<std::optional<double>> values;
};

// A log of a run, with rows in the order of their steps.
struct Log {
  std::vector<std::string> columns;  // names as written, without the step
  std::vector<LogRow> rows;
};

// Reads a CSV file with a header, or JSON Lines with an object per line, such as the output of `timeline`. Rows need a
// step (`step`, `global_step`, `iteration`), or else an epoch. Objects without them, such as a header, are skipped.
// Returns an error message if no row can be read.
[[nodiscard]] std::variant<Log, std::string> read_log(std::string_view text, const Run& run);

// The differences in one column.
struct ColumnDifference {
  std::string column;
  std::size_t rows = 0;       // number of compared rows
  std::size_t different = 0;  // of them with another value than in the schedule
  std::uint64_t step = 0;     // first of them
  std::optional<double> logged{};
  std::optional<double> scheduled{};
};

struct LogComparison {
  std::vector<ColumnDifference> columns;  // compared columns
  std::vector<std::string> ignored;       // columns that the schedule does not have
  std::size_t rows = 0;
  std::optional<double> initial_rate{};  // taken from the first row; nullopt: known
  std::optional<int> shift{};            // of the logged steps with which all rows agree: -1 or 1
  bool complete = true;                  // false: the run has too many changes to follow to its end

  [[nodiscard]] bool same() const;
};

// Compares the learning rate (`lr`, `learning_rate`), the sparsity of all weights (`sparsity`, `overall`) and the
// sparsity of single actions (`GMPruningModifier#2`) with a log. Values are equal if they differ by less than a
// millionth, or by less than half of the last digit that the log shows.
[[nodiscard]] LogComparison compare_with_log(const ir::Recipe& recipe, const Run& run, const Log& log);

// Returns "first difference at step 120 (epoch 12): the learning rate is 0.01 in the log and 0.008 in the schedule",
// and a line for each column.
[[nodiscard]] std::string comparison_text(const LogComparison& comparison, const Run& run);

}  // namespace sparsecfg::timeline
