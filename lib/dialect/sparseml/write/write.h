#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/compose.h"
#include "dialect/sparseml/write/print.h"
#include "dialect/write.h"
#include "ir/recipe.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// A recipe of any dialect as one for the final SparseML of PyTorch; a recipe of SparseML's own keeps
// its reader, but for those of 2020, which are written in the later form.
[[nodiscard]] Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// A recipe of llm-compressor's as one of stages, as far as SparseML has its modifiers.
[[nodiscard]] Written write_one_shot(const ir::Recipe& recipe, diag::Sink& sink);

// Recipes of tags for PyTorch as stages of one, by SparseML's own rules.
[[nodiscard]] Composed compose(ir::Recipe base, ir::Recipe next, const ComposeOptions& options);

// Reports an action that can't be written.
void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink);

// A modifier of 2020 as one of today, its defaults written out where they have changed. Returns nullopt if
// there is none, which is reported; the status then says why.
[[nodiscard]] std::optional<Draft> modernize(const ir::Action& action, const WriteOptions& options,
                                             ActionStatus& status, diag::Sink& sink);

// The modifiers that do what a recipe of another dialect does.
struct Translation {
  std::vector<Draft> drafts;
  std::vector<ActionStatus> statuses;
  std::vector<std::string> notes;
  std::vector<std::string> instructions{};
  std::vector<ir::Variable> variables{};
};

[[nodiscard]] Translation translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Adds the modifiers that do what a pruner does, the action at `index`, or says in its status why there are none.
void translate_pruner(const ir::Recipe& recipe, const WriteOptions& options, std::size_t index, const ir::Prune& prune,
                      Translation& out, diag::Sink& sink);

// The value of `params`: a token is written alone, names as a list.
[[nodiscard]] source::Value params_of(const source::List& names);

// The modifiers that set the learning rates of the run; it sets the statuses of the actions that move it.
[[nodiscard]] std::vector<Draft> rate_modifiers(const ir::Recipe& recipe, const WriteOptions& options,
                                                std::vector<ActionStatus>& statuses, diag::Sink& sink);

// The prefix of a model's names while it is wrapped for several devices.
inline constexpr std::string_view kParallel = "module.";

// The names, patterns or tokens that each target of another dialect's pruner takes, as SparseML has
// them. Returns nullopt if they can't be determined, which is reported; the status then says why.
[[nodiscard]] std::optional<std::vector<source::List>> names_of_targets(const ir::Action& action,
                                                                        const ir::Prune& prune,
                                                                        const WriteOptions& options,
                                                                        ActionStatus& status, diag::Sink& sink);

// When a pruner of SparseML's acts.
struct Window {
  double start = 0;
  double end = 0;
  double every = 1;
  bool at_once = false;  // true if it begins with the last sparsity
};

// The window in which a pruner of another dialect would act at the same steps with the same values:
// its end is where the last value is reached, not where the action ends. Returns nullopt if there is none.
[[nodiscard]] std::optional<Window> window_of(const ir::Cadence& cadence, const ir::Prune& prune,
                                              const WriteOptions& options);

}  // namespace sparsecfg::dialect::sparseml
