#include "dialect/write.h"

#include <fmt/core.h>

#include "ir/clock.h"

namespace sparsecfg::dialect {

std::vector<Link> links_to(const ir::Effect& effect, int ordinal) {
  std::vector<Link> links;
  const auto* prune = std::get_if<ir::Prune>(&effect);
  for (std::size_t target = 0; prune != nullptr && target < prune->targets.size(); ++target) {
    links.push_back({target, ordinal, target});
  }
  return links;
}

std::size_t nodes_of(const source::Value& value) {
  std::size_t nodes = 1;
  const auto* list = value.get<source::List>();
  const auto* map = value.get<source::Map>();
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) nodes += nodes_of((*list)[at]);
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) nodes += 1 + nodes_of((*map)[at].second);
  return nodes;
}

std::string too_many_nodes(const WriteOptions& options) {
  return fmt::format("the output has more than {} nodes; raise the limit with `--max-nodes`", options.max_nodes);
}

void approximate(ActionStatus& status, const ir::Action& action, std::string_view reason, diag::Sink& sink) {
  report(status, sink, diag::schedule_approximated, action.origin.span, action.origin.class_name, reason);
  status.approximate(reason);
}

void drop_without_steps(ActionStatus& status, const ir::Action& action, std::string_view from, std::string_view to,
                        diag::Sink& sink) {
  report(status, sink, diag::steps_to_epochs_needs_spe, action.origin.span, action.origin.class_name, from, to);
  status.kind = ActionStatus::Kind::dropped;
  status.reason = fmt::format(
      "the schedule counts {}, and the number of steps per epoch is unknown; pass `--steps-per-epoch N` "
      "(`len(train_loader)`)",
      from);
}

bool counts_unknown_steps(const ir::Action& action, const WriteOptions& options) {
  const auto* counted = action.cadence.counted();
  return counted != nullptr && counted->first > 0 && !counted->in_epochs && !options.read.steps_per_epoch;
}

// Returns true if the last counted update falls after the last step of the run, when only counted schedules still act.
static bool ends_with_run(const ir::Cadence& cadence, const WriteOptions& options) {
  if (cadence.counted() == nullptr || !options.epochs) {
    return false;
  }
  const std::uint64_t steps = cadence.counted()->in_epochs ? 1 : options.read.steps_per_epoch.value_or(1);
  return cadence.counted()->last() >= ir::steps_of(*options.epochs, steps);
}

void report_lost_fields(const ActionPlan& plan, const ir::Action& action, std::string_view system, ActionStatus& status,
                        diag::Sink& sink) {
  for (const LostField& field : plan.lost) {
    report(status, sink, diag::field_dropped, field.span, field.name, action.origin.class_name, system);
    status.approximate(field.consequence);
  }
}

void report_unsupported(const ActionPlan& plan, const ir::Action& action, const ir::Prune& prune,
                        const WriteOptions& options, std::string_view system, ActionStatus& status, diag::Sink& sink) {
  for (const ir::Target& target : prune.targets) {
    if (target.min || target.max) {
      approximate(status, action, fmt::format("{} has no minimum or maximum sparsity", system), sink);
    }
  }
  report_lost_fields(plan, action, system, status, sink);
  if (plan.masks_biases) {
    report(status, sink, diag::bias_included, action.origin.span, action.origin.class_name);
    status.approximate("biases are not masked");
  }
  if (ends_with_run(action.cadence, options)) {
    const std::string why =
        fmt::format("the last update falls after the last training step, where {} does not update", system);
    approximate(status, action, why, sink);
  }
}

void mark_not_converted(ActionStatus& status, const ir::Action& action, std::string_view system, std::string what,
                        diag::Sink& sink) {
  report(status, sink, diag::belongs_elsewhere, action.origin.span, action.origin.class_name, system, what);
  status.kind = ActionStatus::Kind::not_converted;
  status.reason = std::move(what);
}

void drop(ActionStatus& status, const ir::Action& action, std::string_view system, std::string reason,
          diag::Sink& sink) {
  report(status, sink, diag::not_expressible, action.origin.span, action.origin.class_name, system, reason);
  status.kind = ActionStatus::Kind::dropped;
  status.reason = std::move(reason);
}

}  // namespace sparsecfg::dialect
