#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/sparseml/write/print.h"
#include "dialect/write.h"
#include "ir/recipe.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// Converts a recipe of any dialect to a recipe for the last SparseML release for PyTorch. SparseML recipes keep their
// reader, except recipes of 2020, which are converted to the current form.
[[nodiscard]] WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Fills Dialect::plan.
[[nodiscard]] Plan plan(const ir::Recipe& recipe);

// Converts an llm-compressor recipe to a SparseML stage recipe, as far as SparseML has its modifiers.
[[nodiscard]] WriteResult write_one_shot(const ir::Recipe& recipe, diag::Sink& sink);

// Combines two PyTorch tag recipes as stages of one recipe, by the rules of SparseML.
[[nodiscard]] Composed compose(ir::Recipe base, ir::Recipe next, const ComposeOptions& options);

// Reports an action that cannot be converted, and marks it as dropped.
void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink);

// Converts a modifier of 2020 to a current one, and writes defaults that have changed. Returns nullopt and reports it
// if there is no equivalent; `status` then contains the reason.
[[nodiscard]] std::optional<Draft> modernize(const ir::Action& action, const WriteOptions& options,
                                             ActionStatus& status, diag::Sink& sink);

// The result of converting a recipe of another dialect.
struct Translation {
  std::vector<Draft> drafts;
  std::vector<ActionStatus> statuses;
  std::vector<std::string> notes;
  std::vector<std::string> instructions{};
  std::vector<ir::Variable> variables{};
};

[[nodiscard]] Translation translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Adds the modifiers for a pruner, the action at `index`. Otherwise its status contains the reason.
void translate_pruner(const ir::Recipe& recipe, const WriteOptions& options, std::size_t index, const ir::Prune& prune,
                      Translation& out, diag::Sink& sink);

// Returns the value of `params`: a token as a string, names as a list.
[[nodiscard]] source::Value params_of(const source::List& names);

// Returns the modifiers for the learning rates of the run. Sets the status of the actions that change the rate.
[[nodiscard]] std::vector<Draft> rate_modifiers(const ir::Recipe& recipe, const WriteOptions& options,
                                                std::vector<ActionStatus>& statuses, diag::Sink& sink);

// The prefix of parameter names while a model is wrapped for several devices.
inline constexpr std::string_view kParallel = "module.";

// Returns the selectors of each target of a pruner in SparseML syntax. Returns nullopt and reports it if they cannot be
// determined; `status` then contains the reason.
[[nodiscard]] std::optional<std::vector<source::List>> names_of_targets(const ir::Action& action,
                                                                        const ir::Prune& prune,
                                                                        const WriteOptions& options,
                                                                        ActionStatus& status, diag::Sink& sink);

// The times at which a SparseML pruner acts, in epochs.
struct Window {
  double start = 0;
  double end = 0;
  double every = 1;
  bool at_once = false;  // true if it starts with the final sparsity
};

// Returns the window in which a SparseML pruner has the same values at the same steps. It ends when the last value is
// reached, not when the action ends. Returns nullopt if such a window does not exist.
[[nodiscard]] std::optional<Window> window_of(const ir::Cadence& cadence, const ir::Prune& prune,
                                              const WriteOptions& options);

// Converts all quantization actions of another dialect to one modifier and sets the status of each action. Returns
// nullopt if none of them can be converted.
[[nodiscard]] std::optional<Draft> quantization_modifier(const ir::Recipe& recipe, const WriteOptions& options,
                                                         std::vector<ActionStatus>& statuses, diag::Sink& sink);

// Converts a distillation action of another dialect. Returns nullopt if SparseML has no equivalent; `status` then
// contains the reason.
[[nodiscard]] std::optional<Draft> distillation_modifier(const ir::Action& action, const ir::Distill& distill,
                                                         ActionStatus& status, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
