#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/nni/course.h"
#include "dialect/nni/weights.h"
#include "dialect/write.h"
#include "ir/recipe.h"
#include "model/model.h"

namespace sparsecfg::dialect::nni {

// Writes an NNI configuration in canonical form, for the same release and file form, because their semantics differ.
// Converts recipes of other dialects to NNI 3.0.
[[nodiscard]] WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Fills Dialect::plan.
[[nodiscard]] Plan plan(const ir::Recipe& recipe);

// Reports an action that can't be written, and marks it as dropped.
void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink);

// Returns the NNI class that makes the same masks as another dialect's pruner; empty if no class does.
[[nodiscard]] std::string_view maker_of(const ir::Prune& prune);
// Returns why no NNI pruner is equivalent; nullopt if one may be.
[[nodiscard]] std::optional<std::string> obstacle(const ir::Prune& prune);
[[nodiscard]] bool is_cubic(const ir::SparsityCurve& curve);
// Returns the `granularity` of an entry; null means the default of LevelPruner.
[[nodiscard]] source::Value granularity(const ir::Structure& structure);

// A target of another dialect's pruner that becomes an entry. Steps of `course` are relative to the construction of the
// pruners.
struct Piece {
  std::size_t action = 0;
  std::size_t target = 0;
  int place = 0;  // position of the action in the document
  double sparsity = 0;
  Modules modules;
  RatioRamp course;
  std::string pruner;         // the class that makes the masks
  source::Value granularity;  // null: the default of the class
  source::Value group;        // id of targets that are ranked together; null: none

  // Returns true for movement pruning, which has its own schedule and increases the ratio at every step.
  [[nodiscard]] bool moves() const { return pruner == "MovementPruner"; }
};

// A QATQuantizer and the entries of its list.
struct Quantizer {
  std::size_t action = 0;
  std::uint64_t start = 0;  // first quantized step
  source::List entries;
};

// Converts the quantization actions of another dialect. Records differences in the statuses. An action that gets no
// quantizer is dropped.
[[nodiscard]] std::vector<Quantizer> quantizers_of(const ir::Recipe& recipe, const WriteOptions& options,
                                                   std::vector<ActionStatus>& statuses, diag::Sink& sink);

// Assigns each weight to the last pruner that selects it, and makes all ramps relative to the step at which the pruners
// are constructed. Reports the differences. Returns that step.
[[nodiscard]] std::uint64_t place(std::vector<Piece>& pieces, const std::vector<Quantizer>& quantizers,
                                  const ir::Recipe& recipe, const WriteOptions& options,
                                  std::vector<ActionStatus>& statuses, diag::Sink& sink);

// The configuration made of all entries: specific entries come first, and entries with the same schedule share a
// pruner. Quantizers follow the pruners. All are constructed after `begin` steps of the run. The statuses get their
// links.
struct Assembly {
  source::Value document;
  std::vector<std::string> calls;  // constructor calls for the training script, in this order
};

[[nodiscard]] Assembly assemble(std::vector<Piece> pieces, std::vector<Quantizer> quantizers, std::uint64_t begin,
                                const WriteOptions& options, std::vector<ActionStatus>& statuses);

// Returns script lines that set the learning rates of a recipe, or none if the learning rate is constant.
[[nodiscard]] std::vector<std::string> rate_lines(const ir::Recipe& recipe, const WriteOptions& options);

// Converts a recipe of another dialect.
[[nodiscard]] WriteResult translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::nni
