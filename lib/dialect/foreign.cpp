#include "dialect/foreign.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "ir/clock.h"

namespace sparsecfg::dialect {

using source::Value;

// Update k reaches part k - lag, so the ramp begins at update lag.
std::optional<UpdateRamp> as_update_ramp(const ir::StepSchedule& counted) {
  constexpr std::uint64_t kMaxUpdates = 1'000'000;
  if (counted.times == 0 || counted.times > kMaxUpdates || counted.times - counted.lag != counted.parts) {
    return std::nullopt;
  }
  const std::uint64_t last = counted.last();
  const auto begin = static_cast<std::int64_t>(counted.first) +
                     (static_cast<std::int64_t>(counted.lag) - 1) * static_cast<std::int64_t>(counted.every);
  if (counted.times == 1) {
    return UpdateRamp{last, counted.every, last, true};
  }
  return begin < 0 ? std::nullopt
                   : std::optional(UpdateRamp{static_cast<std::uint64_t>(begin), counted.every, last, false});
}

// Returns true if the last counted update falls after the last step of the run, when only NNI still updates.
static bool ends_with_run(const ir::Cadence& cadence, const WriteOptions& options) {
  if (cadence.counted() == nullptr || !options.epochs) {
    return false;
  }
  const std::uint64_t steps = cadence.counted()->in_epochs ? 1 : options.read.steps_per_epoch.value_or(1);
  return cadence.counted()->last() >= ir::steps_of(*options.epochs, steps);
}

// Returns true if NNI masks biases along with weights, which it does unless `target_names` omits them.
static bool masks_biases(const ir::Origin& origin) {
  const ir::OriginField* tensors = origin.find("target_names");
  const auto* names = tensors == nullptr ? nullptr : tensors->value.get<source::List>();
  return names == nullptr || names->empty() ||
         std::ranges::find(*names, Value{std::string("bias"), {}}) != names->end();
}

static bool aligns(const Value& settings) {
  const auto* targets = settings.get<source::Map>();
  return targets != nullptr && std::ranges::any_of(*targets, [](const source::Entry& target) {
           return target.second.find("align") != nullptr;
         });
}

bool has_no_mask(const ir::Recipe& recipe, const ir::Action& action) {
  const ir::OriginField* settings = action.origin.find("target_settings");
  return recipe.dialect == "nni" && std::holds_alternative<ir::Opaque>(action.effect) &&
         action.origin.find("align") == nullptr && (settings == nullptr || !aligns(settings->value));
}

bool names_no_class(const ir::Recipe& recipe, const ir::Action& action) {
  return recipe.dialect == "nni" && action.origin.class_name == "config_list";
}

bool selects_layers(const ir::Recipe& recipe) { return recipe.dialect == "nni"; }

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

std::optional<std::string> penalty_in_script(const ir::Action& action, const ir::Regularize& penalty) {
  std::vector<std::pair<std::string, std::string>> terms;  // loss term and the weights it applies to
  for (const ir::Regularize::Strength& strength : penalty.strengths) {
    const std::string_view sum = sum_of(penalty.norm, strength.group);
    const std::string term = fmt::format("{} * {}", base::python_repr(strength.strength.value), sum);
    if (sum.empty() || strength.selector.terms.size() != 1) {
      return std::nullopt;
    }
    auto known = std::ranges::find(terms, term, &std::pair<std::string, std::string>::first);
    if (known == terms.end()) known = terms.insert(terms.end(), {term, ""});
    known->second += (known->second.empty() ? "" : ", ") + base::printable(strength.selector.terms.front().text);
  }
  if (terms.empty() || !penalty.thresholds_by.empty()) {
    return std::nullopt;
  }
  std::string out = "add to the loss in the training script, ";
  out += fmt::format("from epoch {} to the end of epoch {}", action.cadence.start.value, action.cadence.end.value - 1);
  for (const auto& [term, names] : terms) {
    out += fmt::format(", `{}` for each weight w of {}", term, names);
  }
  return out;
}

void approximate(ActionStatus& status, const ir::Action& action, std::string_view reason, diag::Sink& sink) {
  dialect::report(status, sink, diag::schedule_approximated, action.origin.span, action.origin.class_name, reason);
  status.approximate(reason);
}

bool counts_unknown_steps(const ir::Action& action, const WriteOptions& options) {
  const auto* counted = action.cadence.counted();
  return counted && counted->first > 0 && !counted->in_epochs && !options.read.steps_per_epoch;
}

void drop_without_steps(ActionStatus& status, const ir::Action& action, std::string_view from, std::string_view to,
                        diag::Sink& sink) {
  dialect::report(status, sink, diag::steps_to_epochs_needs_spe, action.origin.span, action.origin.class_name, from,
                  to);
  status.kind = ActionStatus::Kind::dropped;
  status.reason = fmt::format("the schedule counts {}, and the number of steps per epoch is unknown", from);
}

// Returns true if an entry or one of its targets sets a key to a value that changes its masks.
static bool sets(const ir::Origin& origin, std::string_view key, std::string_view harmless) {
  const auto differs = [&](const Value* value) {
    const auto* text = value == nullptr ? nullptr : value->get<std::string>();
    return value != nullptr && !value->is_null() && (text == nullptr || *text != harmless);
  };
  const ir::OriginField* own = origin.find(key);
  const ir::OriginField* settings = origin.find("target_settings");
  const auto* targets = settings == nullptr ? nullptr : settings->value.get<source::Map>();
  const bool of_target = targets != nullptr && std::ranges::any_of(*targets, [&](const source::Entry& target) {
                           return differs(target.second.find(key));
                         });
  return of_target || (own != nullptr && differs(&own->value));
}

void report_unsupported_nni_parts(const ir::Recipe& recipe, const ir::Action& action, const ir::Prune& prune,
                                  const WriteOptions& options, std::string_view system, ActionStatus& status,
                                  diag::Sink& sink) {
  for (const ir::Target& target : prune.targets) {
    if (target.min || target.max) {
      approximate(status, action, fmt::format("{} has no minimum or maximum sparsity", system), sink);
    }
  }
  for (const auto& [key, harmless] : {std::pair{"apply_method", "mul"}, {"internal_metric_block", ""}}) {
    if (recipe.dialect == "nni" && sets(action.origin, key, harmless)) {
      dialect::report(status, sink, diag::field_dropped, action.origin.span, key, action.origin.class_name, system);
      status.approximate(fmt::format("`{}` is dropped", key));
    }
  }
  if (recipe.dialect == "nni" && masks_biases(action.origin)) {
    dialect::report(status, sink, diag::bias_included, action.origin.span, action.origin.class_name);
    status.approximate("biases are not masked");
  }
  if (ends_with_run(action.cadence, options)) {
    const std::string why =
        fmt::format("the last update falls after the last training step, where {} does not update", system);
    approximate(status, action, why, sink);
  }
}

// Returns true if a policy is active in the last epoch before its end, in which Distiller applies `keep_mask`.
static bool acts_in_last_epoch(const ir::Cadence& cadence) {
  const double every = cadence.every_or(1);
  return cadence.listed().empty() && std::fmod(cadence.end.value - 1 - cadence.start.value, every) == 0;
}

// Returns an argument that a policy passes to its pruner, or 0 if it is not set.
static double argument_of_policy(const ir::Action& action, std::string_view name) {
  const ir::OriginField* arguments = action.origin.find("policy.args");
  const Value* value = arguments == nullptr ? nullptr : arguments->value.find(name);
  return value == nullptr ? 0 : value->number().value_or(0);
}

bool discards_masks(const ir::Action& action) {
  const auto is_set = [&](std::string_view name) { return argument_of_policy(action, name) != 0; };
  const bool forward_alone = is_set("mask_on_forward_only") || is_set("use_double_copies");
  const bool kept = is_set("keep_mask") && acts_in_last_epoch(action.cadence);
  return is_set("discard_masks_at_minibatch_end") || (forward_alone && !kept);
}

bool omits_weights(const ir::Prune& prune) {
  return std::ranges::any_of(prune.targets, [](const ir::Target& target) {
    const ir::Selector& selector = target.selector;
    return selector.over == ir::Selector::Over::modules && !selector.tensor.empty() &&
           selector.tensor.find("weight") == std::string::npos;
  });
}

bool moves_momentum(const ir::Action& action) {
  const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect);
  const ir::OriginField* cycles = action.origin.find("cycle_momentum");
  return scheduler != nullptr && !scheduler->builds &&
         (std::holds_alternative<ir::Cyclic>(scheduler->course) ||
          std::holds_alternative<ir::OneCycle>(scheduler->course)) &&
         (cycles == nullptr || cycles->value.number().value_or(1) != 0);
}

std::optional<std::string> filter_dropout_in_script(const ir::Recipe& recipe, const ir::Action& action,
                                                    const ir::Prune& prune) {
  const auto masks_too = [&](const ir::Action& other) { return &other != &action && ir::makes_masks(other.effect); };
  const double every = argument_of_policy(action, "mini_batch_pruning_frequency");
  const bool for_a_batch = every >= 1 && argument_of_policy(action, "discard_masks_at_minibatch_end") != 0;
  if (prune.criterion != "bernoulli" || prune.targets.size() != 1 || !for_a_batch ||
      std::ranges::any_of(recipe.actions, masks_too)) {
    return std::nullopt;
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

void report_dropped_arguments(const ir::Action& action, std::string_view system, ActionStatus& status,
                              diag::Sink& sink) {
  const ir::OriginField* arguments = action.origin.find("policy.args");
  const auto* map = arguments == nullptr ? nullptr : arguments->value.get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto& [key, value] = (*map)[at];
    const std::string name = source::python_str(key);
    if (name != "levels" && name != "keep_mask" && value.number().value_or(1) != 0 && !value.is_null()) {
      dialect::report(status, sink, diag::field_dropped, value.span, base::printable(name), action.origin.class_name,
                      system);
      status.approximate(fmt::format("`{}` is dropped", base::printable(name)));
    }
  }
}

}  // namespace sparsecfg::dialect
