#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source/load.h"
#include "source/source_file.h"
#include "timeline/evaluator.h"
#include "timeline/overview.h"

namespace sparsecfg::timeline {

// As many changes of a run are followed for its figures: enough for any training, and half a second of work.
inline constexpr std::uint64_t kMaxChanges = 4'000'000;

// The figures of a run for people: how long it trains and which line says so, which actions are in
// force when, what each pruner selects and reaches, what that makes of the whole model where its shapes
// are known, the range of the learning rate.
[[nodiscard]] std::string summarize(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file);

// The same figures without places in the file, a line each: the rates, what is in force when, what each pruner reaches.
[[nodiscard]] std::vector<std::string> figures_of(const ir::Recipe& recipe, const Run& run);

// The same from figures that are known already.
[[nodiscard]] std::string summarize(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file,
                                    const Overview& overview);

// The same as a JSON object, format 1.
[[nodiscard]] std::string summarize_json(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file);

// Which steps a table has rows for.
enum class Rows : std::uint8_t {
  milestones,  // at most 25 that show the course: starts, ends, what happens rarely, quarters of ramps
  changes,     // each at which something changes; what changes at every step has one for each epoch
  steps,       // all
};

// Writes the summary and a table of the steps from `first` to `last`, with as many columns as fit into `width`
// characters. Returns false if `write` gave up.
bool write_table(const ir::Recipe& recipe, const Run& run, const source::SourceFile& file, std::uint64_t first,
                 std::uint64_t last, Rows rows, std::size_t width, const source::Write& write);

// Writes every step of the run as CSV: a header `step,epoch,lr,<column>...`, then one row for each
// step and one more for the state when training has ended. An empty cell is a number that can't
// be given. Only steps from `first` to `last` (both included) are written. False when `write`
// gave up.
bool write_csv(const ir::Recipe& recipe, const Run& run, std::uint64_t first, std::uint64_t last,
               const source::Write& write);

// Writes the run as JSON Lines: a header object (format 1) with the length of the run and the
// columns, then an object for each step at which something acts, with its events and all that is
// in force; with `every_step` one for each step. Groups of the optimizer are all there. False when
// `write` gave up.
bool write_jsonl(const ir::Recipe& recipe, const Run& run, std::uint64_t first, std::uint64_t last, bool every_step,
                 const source::Write& write);

// What a recipe does in one shot, for people: its stages and actions in their order, and which of them look at data.
[[nodiscard]] std::string list_order(const ir::Recipe& recipe, const source::SourceFile& file);

// The same as a JSON object, format 1.
[[nodiscard]] std::string list_order_json(const ir::Recipe& recipe, const source::SourceFile& file);

}  // namespace sparsecfg::timeline
