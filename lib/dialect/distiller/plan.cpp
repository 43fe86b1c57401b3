#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "dialect/distiller/arguments.h"
#include "dialect/distiller/write.h"

// Facts about Distiller policies that writers of other dialects need.
namespace sparsecfg::dialect::distiller {

using source::Value;

// Returns a PyTorch expression for the norm of a weight `w`, or an empty string for an unsupported norm.
static std::string_view sum_of(std::string_view norm, std::string_view group) {
  struct Row {
    std::string_view group, sum;
  };

  static constexpr Row kGroupLasso[] = {{"2D", "w.flatten(2).norm(dim=2).sum()"},
                                        {"3D", "w.flatten(1).norm(dim=1).sum()"},
                                        {"Filters", "w.flatten(1).norm(dim=1).sum()"},
                                        {"Channels", "w.transpose(0, 1).flatten(1).norm(dim=1).sum()"},
                                        {"4D", "w.norm()"},
                                        {"Rows", "w.norm(dim=1).sum()"},
                                        {"Cols", "w.norm(dim=0).sum()"}};
  if (norm == "l1") {
    return "w.abs().sum()";
  }
  const auto* row = std::ranges::find(kGroupLasso, group, &Row::group);
  return norm == "group_lasso" && row != std::end(kGroupLasso) ? row->sum : std::string_view();
}

// Describes the penalty term that the training script must add to the loss, with weights and epochs. Returns an empty
// string if the action also sets masks, or if no line of Python expresses the penalty.
static std::string penalty_in_script(const ir::Action& action, const ir::Regularize& penalty) {
  std::vector<std::pair<std::string, std::string>> terms;  // loss term and the weights it applies to
  for (const ir::Regularize::Strength& strength : penalty.strengths) {
    const std::string_view sum = sum_of(penalty.norm, strength.group);
    const std::string term = fmt::format("{} * {}", base::python_repr(strength.strength.value), sum);
    if (sum.empty() || strength.selector.terms.size() != 1) {
      return {};
    }
    auto known = std::ranges::find(terms, term, &std::pair<std::string, std::string>::first);
    if (known == terms.end()) known = terms.insert(terms.end(), {term, ""});
    known->second += (known->second.empty() ? "" : ", ") + base::printable(strength.selector.terms.front().text);
  }
  if (terms.empty() || !penalty.thresholds_by.empty()) {
    return {};
  }
  std::string out = "add to the loss in the training script, ";
  out += fmt::format("from epoch {} to the end of epoch {}", action.cadence.start.value, action.cadence.end.value - 1);
  for (const auto& [term, names] : terms) {
    out += fmt::format(", `{}` for each weight w of {}", term, names);
  }
  return out;
}

// Returns true if a policy is active in the last epoch before its end, in which Distiller applies `keep_mask`.
static bool acts_in_last_epoch(const ir::Cadence& cadence) {
  const double every = cadence.every_or(1);
  return cadence.listed().empty() && std::fmod(cadence.end.value - 1 - cadence.start.value, every) == 0;
}

static RunArguments arguments_of(const ir::Action& action) {
  const ir::OriginField* given = action.origin.find("policy.args");
  return given == nullptr ? RunArguments{} : run_arguments(given->key, given->value);
}

// Returns true if a policy removes its masks again, either after each batch or at the end because they apply only to
// the forward pass.
static bool discards_masks(const ir::Action& action) {
  const RunArguments arguments = arguments_of(action);
  const bool forward_alone = arguments.mask_on_forward_only || arguments.use_double_copies;
  const bool kept = arguments.keep_mask != nullptr && acts_in_last_epoch(action.cadence);
  return arguments.discard_masks_at_minibatch_end || (forward_alone && !kept);
}

// Returns true if a policy steps the scheduler with this number.
static bool is_stepped(const ir::Recipe& recipe, std::size_t number) {
  return std::ranges::any_of(recipe.actions, [&](const ir::Action& action) {
    const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect);
    return scheduler != nullptr && !scheduler->builds && scheduler->number == number;
  });
}

// CyclicLR and OneCycleLR change the momentum together with the learning rate unless `cycle_momentum` is false. Their
// constructors set it, so it also changes if no policy steps them.
static bool moves_momentum(const ir::Recipe& recipe, const ir::Action& action) {
  const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect);
  const ir::OriginField* cycles = action.origin.find("cycle_momentum");
  return scheduler != nullptr && (!scheduler->builds || !is_stepped(recipe, scheduler->number)) &&
         (std::holds_alternative<ir::Cyclic>(scheduler->course) ||
          std::holds_alternative<ir::OneCycle>(scheduler->course)) &&
         (cycles == nullptr || cycles->value.number().value_or(1) != 0);
}

// Describes how the training script can drop random filters in forward passes, for a policy that removes no weight
// permanently. Returns an empty string for others, or if another action sets masks.
static std::string filter_dropout_in_script(const ir::Recipe& recipe, const ir::Action& action,
                                            const ir::Prune& prune) {
  const auto masks_too = [&](const ir::Action& other) { return &other != &action && ir::makes_masks(other.effect); };
  const RunArguments arguments = arguments_of(action);
  const double every = arguments.mini_batch_pruning_frequency.value_or(0);
  const bool for_a_batch = every >= 1 && arguments.discard_masks_at_minibatch_end;
  if (prune.criterion != "bernoulli" || prune.targets.size() != 1 || !for_a_batch ||
      std::ranges::any_of(recipe.actions, masks_too)) {
    return {};
  }
  const double share = prune.targets.front().sparsity.value;
  const auto* from = ir::initial_sparsity(prune.curve);
  return fmt::format(
      "no weight is removed permanently: from epoch {} to the end of epoch {}, use in the training script, {}, "
      "`w * keep / keep.mean()` as the weight w of each of the layers, with `keep = "
      "torch.bernoulli(torch.full((len(w), 1, "
      "1, 1), {}))`{}",
      action.cadence.start.value, action.cadence.end.value - 1,
      every > 1 ? fmt::format("in one of {} forward passes", every) : "in each forward pass",
      base::python_repr(from == nullptr ? 1 - share : 1 - from->value),
      from == nullptr ? "" : fmt::format(", where the last number decreases to {}", base::python_repr(1 - share)));
}

// Returns the arguments that a policy passes to its pruner and that no effect of the schedule expresses.
static std::vector<LostField> lost_arguments(const ir::Action& action) {
  std::vector<LostField> out;
  const RunArguments arguments = arguments_of(action);
  for (const Field& each : arguments.record.fields) {
    const bool has_effect = each.value.number().value_or(1) != 0 && !each.value.is_null();
    if (each.name != "levels" && each.name != "keep_mask" && has_effect) {
      out.push_back({each.name, each.value.span, fmt::format("`{}` is dropped", base::printable(each.name))});
    }
  }
  return out;
}

static ActionPlan plan_of_policy(const ir::Recipe& recipe, const ir::Action& action) {
  ActionPlan out;
  out.discards_masks = discards_masks(action);
  out.moves_momentum = moves_momentum(recipe, action);
  out.lost = lost_arguments(action);
  if (const auto* prune = std::get_if<ir::Prune>(&action.effect)) {
    out.in_script = filter_dropout_in_script(recipe, action, *prune);
  } else if (const auto* penalty = std::get_if<ir::Regularize>(&action.effect)) {
    out.in_script = penalty_in_script(action, *penalty);
  }
  return out;
}

Plan plan(const ir::Recipe& recipe) {
  Plan out;
  out.names_are_wrapped = true;
  for (const ir::Action& action : recipe.actions) out.actions.push_back(plan_of_policy(recipe, action));
  return out;
}

}  // namespace sparsecfg::dialect::distiller
