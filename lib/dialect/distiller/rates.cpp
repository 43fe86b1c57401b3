#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/write.h"

// Converts the learning rates of another dialect to one scheduler. Distiller sets rates only at whole epochs.
namespace sparsecfg::dialect::distiller {

using source::Value;

static std::vector<std::size_t> movers_of(const ir::Recipe& recipe) {
  std::vector<std::size_t> movers;
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    if (ir::moves_learning_rate(recipe.actions[index].effect)) movers.push_back(index);
  }
  return movers;
}

// Returns the rate at the start of each epoch, for epochs in which it differs from the previous epoch.
static std::vector<RateChange> by_epoch(const RateSchedule& course, double epochs) {
  std::vector<RateChange> out;
  for (std::size_t at = 0; at < course.changes.size(); ++at) {
    const double epoch = std::max(0.0, std::ceil(course.changes[at].epoch));
    const bool lasts = at + 1 == course.changes.size() || course.changes[at + 1].epoch > epoch;
    if (lasts && epoch < epochs && (out.empty() || out.back().rate != course.changes[at].rate)) {
      out.push_back({epoch, course.changes[at].rate});
    }
  }
  return out;
}

static std::optional<std::string> obstacle(const RateSchedule& course, const std::vector<RateChange>& changes) {
  if (!course.known || changes.empty() || changes.front().epoch > 0) {
    return "the initial learning rate is unknown; pass `--initial-lr`";
  }
  for (std::size_t at = 0; at + 1 < changes.size(); ++at) {
    if (changes[at].rate <= 0) return "Distiller multiplies rates and cannot raise a rate of 0";
  }
  return std::nullopt;
}

// Returns true if an action sets the rate of only some parameter groups.
static bool names_groups(const ir::Recipe& recipe, std::size_t index) {
  return std::visit(
      [](const auto& effect) {
        if constexpr (requires { effect.groups; }) return !effect.groups.empty();
        return false;
      },
      recipe.actions[index].effect);
}

static ComponentDraft scheduler(const std::vector<RateChange>& changes) {
  source::List milestones;
  source::List gammas;
  double product = 1;
  for (std::size_t at = 1; at < changes.size(); ++at) {
    const double gamma = changes[at].rate / changes.front().rate / product;
    product = gamma * product;
    milestones.push_back({base::whole_part(changes[at].epoch), {}});
    gammas.push_back({gamma, {}});
  }
  return {Section::lr_schedulers,
          "learning_rate",
          "MultiStepMultiGammaLR",
          {{word("milestones"), {std::move(milestones), {}}}, {word("gammas"), {std::move(gammas), {}}}}};
}

DIAGNOSTIC(PT008, lr_semantics_changed, warning, (Text, Text), "`{}` changes the learning rate {}",
           "One framework sets the rate at the start of an epoch, the other at every step. The written schedule has "
           "the same rate at the start of each epoch but different rates within epochs.",
           "compare the rates with `sparsecfg timeline` if the steps within epochs matter")

static void approximate(Draft& draft, const ir::Recipe& recipe, const std::vector<std::size_t>& movers,
                        diag::Sink& sink) {
  for (const std::size_t index : movers) {
    const ir::Origin& origin = recipe.actions[index].origin;
    dialect::report(draft.statuses[index], sink, diag::lr_semantics_changed, origin.span, origin.class_name,
                    "at steps within epochs, but Distiller changes it only between epochs");
    draft.statuses[index].kind = ActionStatus::Kind::approximated;
    draft.statuses[index].reason = "each epoch uses the rate of its first step";
  }
}

void add_rates(Draft& draft, const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  const std::vector<std::size_t> movers = movers_of(recipe);
  const double epochs = options.epochs.value_or(0);
  const auto changes = by_epoch(options.rates, epochs);
  if (movers.empty()) {
    return;
  }
  const bool groups = std::ranges::any_of(movers, [&](std::size_t index) { return names_groups(recipe, index); });
  const auto reason = groups ? std::optional<std::string>("Distiller sets the same rate for all parameter groups")
                             : obstacle(options.rates, changes);
  if (reason) {
    for (const std::size_t index : movers) {
      drop(draft.statuses[index], recipe.actions[index], *reason, sink);
    }
    return;
  }
  if (!options.rates.whole_epochs) {
    approximate(draft, recipe, movers, sink);
  }
  draft.initial_rate = changes.front().rate;
  draft.instructions.push_back(fmt::format("pass the initial learning rate to Distiller with `--lr {}`",
                                           base::python_repr(changes.front().rate)));
  if (changes.size() > 1) {
    draft.components.push_back(scheduler(changes));
    const auto last = base::whole_part(std::ceil(epochs));
    draft.policies.push_back({Section::lr_schedulers,
                              "learning_rate",
                              {},
                              {{word("starting_epoch"), {std::int64_t{0}, {}}},
                               {word("ending_epoch"), {last, {}}},
                               {word("frequency"), {std::int64_t{1}, {}}}}});
  }
}

}  // namespace sparsecfg::dialect::distiller
