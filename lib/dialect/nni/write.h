#pragma once

#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/nni/course.h"
#include "dialect/nni/quantize.h"
#include "dialect/nni/weights.h"
#include "dialect/write.h"

namespace sparsecfg::dialect::nni {

// A configuration of NNI's own in its canonical form, in the release and the form that it has: what
// each of them makes of a list is different. A recipe of another dialect as one for NNI 3.0.
[[nodiscard]] Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Reports an action that can't be written.
void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink);

// The class that makes masks as another dialect's pruner does; empty where there is none.
[[nodiscard]] std::string_view maker_of(const ir::Prune& prune);
// Returns why no pruner of NNI does what this one does; nullopt if one may.
[[nodiscard]] std::optional<std::string> obstacle(const ir::Prune& prune);
[[nodiscard]] bool is_cubic(const ir::SparsityCurve& curve);
// The granularity of an entry: what is masked together; null: that of LevelPruner.
[[nodiscard]] source::Value granularity(const ir::Structure& structure);

// A target of another dialect's pruner on its way to an entry. Its course is counted from the step
// at which the pruners are constructed.
struct Piece {
  std::size_t action = 0;
  std::size_t target = 0;
  int place = 0;  // of the action in the document
  double sparsity = 0;
  Modules modules;
  Course course;
  std::string pruner;         // the class that makes the masks
  source::Value granularity;  // null: what the class has by default
  source::Value group;        // of targets that are ranked together; null: none

  // It has a schedule of its own and raises the ratio at every step.
  [[nodiscard]] bool moves() const { return pruner == "MovementPruner"; }
};

// Leaves each weight to the last pruner that has it, and counts the courses of all from the step at which the pruners
// are constructed together. Reports what that changes. Returns that step.
[[nodiscard]] std::uint64_t place(std::vector<Piece>& pieces, const std::vector<Quantizer>& quantizers,
                                  const ir::Recipe& recipe, const WriteOptions& options,
                                  std::vector<ActionStatus>& statuses, diag::Sink& sink);

// Entries become a configuration: special ones first, those with one schedule under one pruner, all of
// which are constructed after `begin` steps of the run, and the quantizers after them. The statuses get their links.
struct Assembly {
  source::Value document;
  std::vector<std::string> calls;  // what a script has to construct, in this order
};

[[nodiscard]] Assembly assemble(std::vector<Piece> pieces, std::vector<Quantizer> quantizers, std::uint64_t begin,
                                const WriteOptions& options, std::vector<ActionStatus>& statuses);

// The learning rates of a recipe as lines of the script that constructs the compressors; none if nothing moves them.
[[nodiscard]] std::vector<std::string> rate_lines(const ir::Recipe& recipe, const WriteOptions& options);

// What becomes of another dialect's recipe.
[[nodiscard]] Written translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::nni
