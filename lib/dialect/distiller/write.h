#pragma once

#include "diag/sink.h"
#include "dialect/distiller/print.h"
#include "dialect/write.h"

namespace sparsecfg::dialect::distiller {

// Writes a recipe of any dialect as a Distiller schedule.
[[nodiscard]] WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Fills Dialect::plan.
[[nodiscard]] Plan plan(const ir::Recipe& recipe);

// Marks an action as dropped and reports it.
void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink);

// A schedule that is being built.
struct Draft {
  std::vector<ComponentDraft> components;
  std::vector<PolicyDraft> policies;
  std::vector<ActionStatus> statuses;
  std::vector<std::string> notes;
  std::vector<std::string> instructions{};  // instructions for work outside the file
  std::optional<double> initial_rate;
};

// Returns the pruner with the same sparsity curve for the named parameters. If `first` equals `last`, it is a level
// pruner.
[[nodiscard]] ComponentDraft pruner_of(const ir::Prune& prune, const std::string& name, double first, double last,
                                       const source::List& names);

// Converts a recipe of another dialect.
[[nodiscard]] Draft translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Adds a scheduler with the learning rates of the run, and sets the status of each action that changes them.
void add_rates(Draft& draft, const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::distiller
