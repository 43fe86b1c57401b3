#include "dialect/pytorch/entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "base/text.h"
#include "dialect/foreign.h"
#include "dialect/pytorch/selectors.h"
#include "dialect/pytorch/times.h"
#include "ir/matching.h"

namespace sparsecfg::dialect::pytorch {

class Entries {
 public:
  Entries(const ir::Action& action, const ir::Recipe& recipe, const WriteOptions& options, Parts& parts)
      : action_(action), recipe_(recipe), options_(options), parts_(parts) {}

  Entry make() {
    return std::visit(
        base::Overloaded{
            [](const ir::EpochRange&) { return Entry{}; },
            [&](const ir::Prune& prune) { return pruning(prune); },
            [&](const ir::HoldMask& hold) { return holding(hold); },
            [&](const ir::SetLearningRate& set) { return rate(number(set.rate.value), set.groups, true); },
            [&](const ir::LearningRateCurve& curve) {
              return rate(rate_course(curve, action_.cadence, parts_), curve.groups, false);
            },
            [&](const ir::TorchScheduler& scheduler) { return scheduled(scheduler); },
            [&](const ir::EpochScheduler& scheduler) { return scheduled(scheduler); },
            [&](const ir::SetWeightDecay& decay) { return weight_decay(decay); },
            [&](const ir::SetTrainable& trainable) { return training(trainable); },
            [&](const ir::Opaque&) { return unknown(); },
            [&](const ir::ThresholdPrune& prune) { return thresholds(prune); },
            [&](const ir::Regularize& regularize) { return penalties(regularize); },
            [&](const ir::SetParameter& set) { return setting(set); },
            [](const ir::Quantize&) { return refuse("quantization is torch.ao.quantization's"); },
            [](const ir::Distill&) { return refuse("the teacher and its loss are the training script's"); },
        },
        action_.effect);
  }

 private:
  static Entry refuse(std::string_view reason) { return {std::nullopt, std::string(reason)}; }

  Entry unknown() const { return masks_nothing(recipe_, action_) ? Entry{} : refuse("the file has no counterpart"); }

  std::string name() const {
    const ir::Origin& origin = action_.origin;
    return origin.ordinal > 0 ? fmt::format("{}#{}", origin.class_name, origin.ordinal) : origin.class_name;
  }

  // A call with the name and the time, which every action has, before the rest.
  Entry made(std::string_view function, Text when, std::vector<Text> rest) const {
    parts_.emplace(function);
    rest.insert(rest.begin(), {quoted(name()), std::move(when)});
    return {call(function, std::move(rest)), ""};
  }

  // --- pruning ----------------------------------------------------------------------------------------------

  Entry pruning(const ir::Prune& prune) {
    if (const std::string reason = refused(prune); !reason.empty()) {
      return refuse(reason);
    }
    std::vector<Text> targets;
    const auto owned = options_.parameters != nullptr
                           ? std::optional(ir::parameters_of_targets(prune, *options_.parameters))
                           : std::nullopt;
    for (std::size_t at = 0; at < prune.targets.size(); ++at) {
      Course course = sparsity_course(prune, prune.targets[at], action_.cadence, parts_);
      if (!course.refused.empty()) {
        return refuse(course.refused);
      }
      if (leaves_alone(prune, prune.targets[at])) {
        course.text = {"None"};
      }
      targets.push_back(tuple(
          {owned && !over_modules(prune.targets[at]) ? names((*owned)[at]) : terms(prune.targets[at].selector, parts_),
           std::move(course.text)}));
    }
    std::vector<Text> arguments = {list(std::move(targets))};
    add_switches(prune, arguments);
    add_groups(prune, arguments);
    parts_.emplace(recipe_.rounding == ir::Rounding::nearest ? "keep_exactly" : "keep_above");
    const bool anew = action_.cadence.counted.has_value();
    return made(anew                 ? "PruneAnew"
                : takes_turns(prune) ? "PruneInTurns"
                                     : "Prune",
                when(action_.cadence, parts_), std::move(arguments));
  }

  static bool over_modules(const ir::Target& target) { return target.selector.over == ir::Selector::Over::modules; }

  // Returns true if another action's parameters are ranked together with those of this one.
  bool shares_pool(const ir::Prune& prune) const {
    return std::ranges::any_of(recipe_.actions, [&](const ir::Action& other) {
      const auto* pruner = std::get_if<ir::Prune>(&other.effect);
      return pruner != nullptr && &other != &action_ && pruner->pool == prune.pool;
    });
  }

  // AC/DC lets the momentum begin anew, unless it is told not to.
  bool takes_turns(const ir::Prune& prune) const {
    const ir::OriginField* reset = action_.origin.find("momentum_buffer_reset");
    return std::holds_alternative<ir::Alternation>(prune.curve) &&
           (reset == nullptr || reset->value.number().value_or(1) != 0);
  }

  // A level of 0 for single weights asks for no mask at all.
  bool leaves_alone(const ir::Prune& prune, const ir::Target& target) const {
    return action_.cadence.kind == ir::Cadence::Kind::whole_epochs &&
           std::holds_alternative<ir::Constant>(prune.curve) &&
           prune.structure.kind == ir::Structure::Kind::unstructured && target.sparsity.value == 0;
  }

  void add_switches(const ir::Prune& prune, std::vector<Text>& arguments) const {
    const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
    const bool strict =
        std::ranges::any_of(prune.targets, [](const ir::Target& target) { return stops_without(target.selector); });
    if (!prune.hold_after_end) arguments.push_back(named("keep", boolean(false)));
    if (!strict) arguments.push_back(named("strict", boolean(false)));
    if (recipe_.overlap == ir::Overlap::first_action) arguments.push_back(named("alone", boolean(true)));
    if (prune.global) arguments.push_back(named("together", boolean(true)));
    if (ramp != nullptr && !ramp->from) arguments.push_back(named("measured", boolean(true)));
  }

  // --- groups -------------------------------------------------------------------------------------------------

  // The view of a weight that shows its groups, and the sizes of what it takes.
  Text view(const ir::Structure& structure, std::string_view norm) const {
    const bool padded = structure.kind == ir::Structure::Kind::block && structure.padded;
    const std::string name = structure.kind == ir::Structure::Kind::filter    ? "filters"
                             : structure.kind == ir::Structure::Kind::channel ? "channels"
                             : padded                                         ? "fours"
                                                                              : "blocks";
    parts_.insert({"Groups", name});
    std::vector<Text> arguments = {{std::string(norm)}, {name}};
    if (name == "blocks") {
      arguments.push_back({std::to_string(structure.n)});
      arguments.push_back({std::to_string(structure.m)});
    }
    return call("Groups", std::move(arguments));
  }

  // What ranks groups: SparseML the norms of filters and the means of blocks.
  std::string_view norm_of(const ir::Prune& prune) const {
    const bool block = prune.structure.kind == ir::Structure::Kind::block;
    return prune.criterion == "l1" ? "1" : prune.criterion == "magnitude" && block ? "\"mean\"" : "2";
  }

  void add_groups(const ir::Prune& prune, std::vector<Text>& arguments) const {
    if (prune.structure.kind == ir::Structure::Kind::n_of_m) {
      parts_.insert("NofM");
      arguments.push_back(
          named("groups", call("NofM", {{std::to_string(prune.structure.n)}, {std::to_string(prune.structure.m)}})));
    } else if (prune.structure.kind != ir::Structure::Kind::unstructured) {
      arguments.push_back(named("groups", view(prune.structure, norm_of(prune))));
    }
    if (!prune.mask_groups.empty()) {
      std::vector<Text> lists;
      for (const ir::MaskGroup& group : prune.mask_groups) lists.push_back(terms(group.selector, parts_));
      const bool leads = action_.cadence.kind == ir::Cadence::Kind::whole_epochs;
      arguments.push_back(named("tied", list(std::move(lists))));
      arguments.push_back(
          named("tie", {leads ? "lambda scores: scores[0]" : "lambda scores: torch.stack(scores).sum(0)"}));
    }
  }

  std::string refused(const ir::Prune& prune) const {
    if (const std::string reason = refused_arguments(); !reason.empty()) {
      return reason;
    }
    if (prune.criterion.empty()) {
      return "no class says what ranks its weights";
    }
    const bool norm = prune.criterion == "l1" || prune.criterion == "l2";
    if (prune.criterion != "magnitude" && !norm) {
      return fmt::format("weights are ranked by {}, which takes more than the weights", prune.criterion);
    }
    if (norm && prune.structure.kind == ir::Structure::Kind::unstructured) {
      return "a norm of single weights is not written";
    }
    if (prune.global && prune.structure.kind != ir::Structure::Kind::unstructured) {
      return "groups of all parameters together are not written";
    }
    if (action_.cadence.counted && prune.structure.kind == ir::Structure::Kind::block) {
      return "NNI's blocks are tiles of a weight, which are not written";
    }
    if (prune.structure.group != 1) {
      return "groups of groups are not written";
    }
    if (!prune.pool.empty() && shares_pool(prune)) {
      return "weights of several entries are ranked together";
    }
    for (const ir::Target& target : prune.targets) {
      if (std::string reason = refusal(target.selector); !reason.empty()) {
        return reason;
      }
    }
    return "";
  }

  // What a policy of Distiller's tells its pruner about masks; the schedule itself has no word for it.
  std::string refused_arguments() const {
    static constexpr std::string_view kNames[] = {"mask_on_forward_only", "use_double_copies", "mask_gradients",
                                                  "discard_masks_at_minibatch_end", "fold_batchnorm"};
    const ir::OriginField* given = action_.origin.find("policy.args");
    for (const std::string_view name : kNames) {
      const source::Value* value = given == nullptr ? nullptr : given->value.find(name);
      if (value != nullptr && value->number().value_or(0) != 0) {
        return fmt::format("`{}` is not written", name);
      }
    }
    const ir::OriginField* noise = action_.origin.find("noise");
    return noise != nullptr && noise->value.number().value_or(0) != 0 ? "noise in the ranking is not written" : "";
  }

  // --- limits and penalties -----------------------------------------------------------------------------------

  double argument(std::string_view name) const {
    const ir::OriginField* field = action_.origin.find(name);
    return field == nullptr ? 0 : field->value.number().value_or(0);
  }

  // The limit of BaiduRNNPruner, by the epoch.
  Text growing_limit() const {
    parts_.insert("baidu");
    const ir::Cadence& cadence = action_.cadence;
    return lambda("epoch", call("baidu", {number(argument("q")),
                                          number(argument("ramp_epoch_offset")),
                                          number(argument("ramp_slope_mult")),
                                          number(cadence.start.value),
                                          number(cadence.end.value),
                                          number(cadence.every ? cadence.every->value : 1),
                                          {"epoch"}}));
  }

  Entry thresholds(const ir::ThresholdPrune& prune) {
    const bool grows = prune.criterion == "baidu";
    if (std::string reason = refused_arguments(); !reason.empty()) {
      return refuse(reason);
    }
    if (!grows && prune.criterion != "sensitivity" && prune.criterion != "magnitude") {
      return refuse(fmt::format("limits of the kind `{}` are not written", prune.criterion));
    }
    std::vector<Text> targets;
    for (const auto& threshold : prune.thresholds) {
      const auto value = threshold.value.number();
      std::string reason = refusal(threshold.selector);
      if (!reason.empty() || (!grows && !value)) {
        return refuse(reason.empty() ? "a limit is no number" : reason);
      }
      targets.push_back(tuple({terms(threshold.selector, parts_), grows ? growing_limit() : number(*value)}));
    }
    std::vector<Text> arguments = {list(std::move(targets))};
    if (prune.criterion == "sensitivity") arguments.push_back(named("relative", boolean(true)));
    return made("Threshold", when(action_.cadence, parts_), std::move(arguments));
  }

  Text penalty(const ir::Regularize& regularize, const ir::Regularize::Strength& strength) const {
    const std::string by = layout(number(strength.strength.value), 0);
    if (regularize.norm == "l1") {
      return {fmt::format("lambda weight: weight.abs().sum() * {}", by)};
    }
    parts_.insert("channel_norms");
    if (regularize.norm == "group_variance") {
      return {fmt::format("lambda weight: {} / channel_norms(weight).var()", by)};
    }
    parts_.insert("lasso");
    return lambda("weight", call("lasso", {{by}, quoted(strength.group), {"weight"}}));
  }

  Entry penalties(const ir::Regularize& regularize) {
    if (!regularize.thresholds_by.empty()) {
      return refuse("what it cuts off after each step is not written");
    }
    std::vector<Text> out;
    for (const auto& strength : regularize.strengths) {
      if (strength.group == "Channels+4D" || strength.group == "4D+Channels") {
        return refuse("Distiller fails with channels and layers together");
      }
      out.push_back(tuple({terms(strength.selector, parts_), penalty(regularize, strength)}));
    }
    return made("Regularize", when(action_.cadence, parts_), {list(std::move(out))});
  }

  Entry setting(const ir::SetParameter& set) {
    if (set.from) {
      return refuse("parameters that move from a value to another are not written");
    }
    std::vector<Text> arguments = with_strictness(selected(set.selector, options_, parts_), set.selector);
    arguments.insert(arguments.begin() + 1, {source::python_str(set.to)});
    return made("SetParameter", phase(action_.cadence, false, parts_), std::move(arguments));
  }

  // --- masks that are there -----------------------------------------------------------------------------------

  Entry holding(const ir::HoldMask& hold) {
    if (const std::string reason = refusal(hold.selector); !reason.empty()) {
      return refuse(reason);
    }
    ir::Cadence cadence = action_.cadence;
    cadence.every = source::Located<double>{-1, {}};
    return made("Hold", when(cadence, parts_),
                with_strictness(selected(hold.selector, options_, parts_), hold.selector));
  }

  static std::vector<Text> with_strictness(Text names, const ir::Selector& selector) {
    std::vector<Text> out = {std::move(names)};
    if (!stops_without(selector)) out.push_back(named("strict", boolean(false)));
    return out;
  }

  // --- rates --------------------------------------------------------------------------------------------------

  static void add_groups(const ir::ParameterGroups& groups, std::vector<Text>& arguments) {
    std::vector<Text> indices;
    for (const std::int64_t group : groups) indices.push_back({std::to_string(group)});
    if (!groups.empty()) arguments.push_back(named("groups", list(std::move(indices))));
  }

  Entry rate(Text value, const ir::ParameterGroups& groups, bool once) {
    std::vector<Text> arguments = {std::move(value)};
    add_groups(groups, arguments);
    return made("Rate", once ? phase(action_.cadence, false, parts_) : when(action_.cadence, parts_),
                std::move(arguments));
  }

  Entry scheduled(const ir::TorchScheduler& scheduler) {
    using Kind = ir::TorchScheduler::Kind;
    ir::Cadence cadence = action_.cadence;
    cadence.every = source::Located<double>{-1, {}};
    std::vector<Text> arguments;
    if (scheduler.initial_rate)
      arguments.push_back(number(scheduler.initial_rate->value));
    else
      arguments.push_back({"None"});
    if (scheduler.kind == Kind::cosine_warm_restarts) {
      arguments.push_back(
          lambda("base, epoch", restarts(scheduler.cycle_epochs, scheduler.cycle_growth, scheduler.min_rate, parts_)));
      return made("WarmRestarts", when(cadence, parts_), std::move(arguments));
    }
    arguments.push_back(number(scheduler.gamma));
    if (scheduler.kind == Kind::step) {
      arguments.push_back(named("every", number(scheduler.step_size)));
    } else {
      std::vector<Text> milestones;
      for (const auto& milestone : scheduler.milestones) milestones.push_back(number(milestone.value));
      arguments.push_back(named("milestones", list(std::move(milestones))));
    }
    return made("Decay", when(cadence, parts_), std::move(arguments));
  }

  Entry scheduled(const ir::EpochScheduler& scheduler) {
    Course course = scheduler_course(scheduler.course, parts_);
    if (!course.refused.empty()) {
      return refuse(course.refused);
    }
    if (!scheduler.builds) {
      parts_.insert("AfterEpochs");
      return made("SchedulerStep", call("AfterEpochs", {epochs_of(action_.cadence)}),
                  {{std::to_string(scheduler.number)}, std::move(course.text)});
    }
    parts_.insert("Every");
    std::vector<Text> arguments;
    if (auto first = built_rate(scheduler.course, parts_)) arguments.push_back(named("first", std::move(*first)));
    if (const auto low = ir::rate_before_built(scheduler.course)) arguments.push_back(named("low", number(*low)));
    if (const auto base = ir::base_when_built(scheduler.course)) arguments.push_back(named("base", number(*base)));
    return made("Scheduler", call("Every", {number(-1)}), std::move(arguments));
  }

  Entry weight_decay(const ir::SetWeightDecay& decay) {
    std::vector<Text> arguments = {number(decay.decay.value)};
    add_groups(decay.groups, arguments);
    return made("WeightDecay", phase(action_.cadence, false, parts_), std::move(arguments));
  }

  Entry training(const ir::SetTrainable& trainable) {
    if (const std::string reason = refusal(trainable.selector); !reason.empty()) {
      return refuse(reason);
    }
    std::vector<Text> arguments = with_strictness(selected(trainable.selector, options_, parts_), trainable.selector);
    arguments.insert(arguments.begin() + 1, boolean(trainable.trainable));
    return made("Trainable", phase(action_.cadence, true, parts_), std::move(arguments));
  }

  const ir::Action& action_;
  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  Parts& parts_;
};

Entry entry_of(const ir::Action& action, const ir::Recipe& recipe, const WriteOptions& options, Parts& parts) {
  return Entries(action, recipe, options, parts).make();
}

}  // namespace sparsecfg::dialect::pytorch
