#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "diag/sink.h"
#include "dialect/sparseml/staged/table.h"
#include "ir/effect.h"

// What SparseML does with a modifier beyond the rows of the table (reference/sparseml.md B.9).
namespace sparsecfg::dialect::sparseml::staged {

// The run that a recipe is checked for.
struct Run {
  std::optional<double> epochs;  // length; nullopt if unknown
  std::optional<std::size_t> steps_per_epoch;
};

// Returns true if a modifier of training never acts: without a start, with one below 0, or with one that
// is not below its end.
[[nodiscard]] bool never_acts(const Modifier& modifier);

// What stops SparseML when a valid modifier meets the model and at the steps of the run, and what
// it leaves out of training silently.
void check_run(const Reading& reading, const Modifier& modifier, const Run& run);

// The course of a magnitude pruner. Reports words and arguments that SparseML does not know, or
// fails on, unless `sink` is null; then it answers nothing.
[[nodiscard]] std::optional<ir::SparsityCurve> read_curve(const Modifier& modifier, diag::Sink* sink);

// What `mask_structure` of a magnitude pruner stands for; nullopt if SparseML knows no such word.
[[nodiscard]] std::optional<ir::Structure> read_structure(std::string_view text);

// The N and M of `N:M`, as the pruners of one shot read it; nullopt if they fail on it.
[[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> read_blocks(std::string_view text);

// The targets of a modifier, patterns that Python can't compile left out.
[[nodiscard]] ir::Selector read_targets(const Modifier& modifier);

// Reports patterns that Python can't compile and tokens where they are names.
void check_targets(const Modifier& modifier, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml::staged
