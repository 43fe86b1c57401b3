#pragma once

#include "diag/sink.h"
#include "dialect/distiller/print.h"
#include "dialect/write.h"

namespace sparsecfg::dialect::distiller {

// A recipe of any dialect as a schedule of Distiller's.
[[nodiscard]] Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Reports an action that can't be written.
void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink);

// A schedule in the making.
struct Draft {
  std::vector<ComponentDraft> components;
  std::vector<PolicyDraft> policies;
  std::vector<ActionStatus> statuses;
  std::vector<std::string> notes;
  std::vector<std::string> instructions{};  // what has to be done outside the file
  std::optional<double> initial_rate;
};

// The pruner that raises the sparsity of the named parameters as another dialect's does; of equal values it is one of a
// level.
[[nodiscard]] ComponentDraft pruner_of(const ir::Prune& prune, const std::string& name, double first, double last,
                                       const source::List& names);

// What another dialect's recipe becomes.
[[nodiscard]] Draft translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Adds the scheduler that has the learning rates of the run, and sets the status of each action that moves them.
void add_rates(Draft& draft, const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::distiller
