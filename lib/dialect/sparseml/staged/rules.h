#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "diag/sink.h"
#include "dialect/sparseml/staged/table.h"
#include "ir/effect.h"

// Checks that the rows of the table do not cover (docs/semantics/sparseml.md#h3).
namespace sparsecfg::dialect::sparseml::staged {

// The training run for which a recipe is checked.
struct Run {
  std::optional<double> epochs;  // training length; nullopt if unknown
  std::optional<std::size_t> steps_per_epoch;
};

// Returns true if a training modifier never acts: its start is missing, below 0, or not before its end.
[[nodiscard]] bool never_acts(const Modifier& modifier);

// Reports errors of a valid modifier during initialization and in steps of the run. Also reports modifiers that
// SparseML silently skips in training.
void check_run(const Context& context, const Modifier& modifier, const Run& run);

// Reads the sparsity curve of a magnitude pruner. Returns nullopt for schedulers and arguments that SparseML does not
// support or fails on, and reports them unless `sink` is null.
[[nodiscard]] std::optional<ir::SparsityCurve> read_curve(const Modifier& modifier, diag::Sink* sink);

// Reads the `mask_structure` of a magnitude pruner. Returns nullopt if SparseML does not support it.
[[nodiscard]] std::optional<ir::Structure> read_structure(std::string_view text);

// Reads N and M of `N:M` as one-shot pruners do. Returns nullopt if they fail on the string.
[[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> read_blocks(std::string_view text);

// Returns the targets of a modifier, without patterns that Python cannot compile.
[[nodiscard]] model::Selector read_targets(const Modifier& modifier);

// Reports patterns that Python cannot compile, and tokens in places where SparseML reads them as names.
void check_targets(const Modifier& modifier, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml::staged
