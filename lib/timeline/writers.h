#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/one_shot.h"
#include "source/load.h"
#include "source/source_file.h"
#include "timeline/evaluator.h"
#include "timeline/overview.h"

namespace sparsecfg::timeline {

// Returns the statistics of a run as text: the training length and its source line, when each action is in effect, what
// each pruner selects and reaches, the sparsity of the whole model if its shapes are known, and the range of the
// learning rate.
[[nodiscard]] std::string summarize(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file);

// Returns the same statistics without file positions, one line each: rates, when each action is in effect, and the
// sparsity that each pruner reaches.
[[nodiscard]] std::vector<std::string> figures_of(const ir::Recipe& recipe, const Run& run);

// Formats statistics that were computed before.
[[nodiscard]] std::string summarize(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file,
                                    const Overview& overview);

// Returns the statistics as a JSON object, format 1.
[[nodiscard]] std::string summarize_json(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file);

// Selects the rows of a table.
enum class Rows : std::uint8_t {
  milestones,  // at most 25 that summarize the run: starts, ends, rare updates, quarters of ramps
  changes,     // each step with a change; for changes at every step, one per epoch
  steps,       // every step
};

struct TableStyle {
  Rows rows = Rows::milestones;
  std::size_t width = 80;                                 // in characters; columns that do not fit are left out
  std::string plot{};                                     // text between the summary and the table
  std::function<std::string(const std::string&)> page{};  // prepares the summary for people; empty: as it is
};

// Writes the summary and a table of the steps from `first` to `last`. Returns false if `write` returned false.
bool write_table(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file, std::uint64_t first,
                 std::uint64_t last, const TableStyle& style, const source::Write& write);

// Writes the steps from `first` to `last` (inclusive) as CSV. The header is `step,epoch,lr,<column>...`. Each step has
// a row, and one more row has the state at the end of training. A cell is empty if its value is unknown. Returns false
// if `write` returned false.
bool write_csv(const ir::Recipe& recipe, const Run& run, std::uint64_t first, std::uint64_t last,
               const source::Write& write);

// Writes the run as JSON Lines. The header object (format 1) has the length of the run and the columns. Each step at
// which an action acts has an object with its events and all values in effect, including all parameter groups. With
// `every_step`, every step has one. Returns false if `write` returned false.
bool write_jsonl(const ir::Recipe& recipe, const Run& run, std::uint64_t first, std::uint64_t last, bool every_step,
                 const source::Write& write);

// Returns the order of a one-shot recipe as text: its stages and actions, which of them require data, the schemes of
// layers, and the size of the weights.
[[nodiscard]] std::string list_order(const ir::Recipe& recipe, const ir::OneShot& one_shot,
                                     const source::SourceFile& file);

// Returns the same as a JSON object, format 1.
[[nodiscard]] std::string list_order_json(const ir::Recipe& recipe, const ir::OneShot& one_shot,
                                          const source::SourceFile& file);

// The order as JSON Lines: a header object (format 1) with `one_shot`, then an object for each modifier.
[[nodiscard]] std::string list_order_jsonl(const ir::Recipe& recipe, const ir::OneShot& one_shot,
                                           const source::SourceFile& file);

}  // namespace sparsecfg::timeline
