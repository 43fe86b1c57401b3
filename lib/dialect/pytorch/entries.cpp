#include "dialect/pytorch/entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "base/text.h"
#include "dialect/foreign.h"
#include "ir/matching.h"

namespace sparsecfg::dialect::pytorch {

// --- when -------------------------------------------------------------------------------------------------

static Text whole(double value) { return {fmt::format("{:.0f}", value)}; }

static Text epochs_of(const ir::Cadence& cadence) {
  if (cadence.listed.empty()) {
    return call("range", {whole(cadence.start.value), whole(cadence.end.value),
                          whole(cadence.every ? cadence.every->value : 1)});
  }
  std::vector<Text> epochs;
  for (const auto& epoch : cadence.listed) {
    epochs.push_back(epoch.value == std::floor(epoch.value) ? whole(epoch.value) : number(epoch.value));
  }
  return list(std::move(epochs));
}

static Text counted(const ir::StepSchedule& steps) {
  std::vector<Text> arguments = {
      {std::to_string(steps.first)}, {std::to_string(steps.every)}, {std::to_string(steps.times)}};
  if (steps.lag != 0) arguments.push_back(named("lag", {std::to_string(steps.lag)}));
  if (steps.in_epochs) arguments.push_back(named("of_epochs", boolean(true)));
  return call("Steps", std::move(arguments));
}

static Text drifting(const ir::Cadence& cadence) {
  std::vector<Text> arguments = {number(cadence.start.value)};
  const bool updates = cadence.every.has_value();
  if (updates || cadence.end.value >= 0) arguments.push_back(number(cadence.end.value));
  if (updates) arguments.push_back(number(cadence.every->value));
  return call("Every", std::move(arguments));
}

static Text in_epochs(const ir::Cadence& cadence) {
  std::vector<Text> arguments = {epochs_of(cadence)};
  if (cadence.within > 0) arguments.push_back(named("within", {std::to_string(cadence.within)}));
  if (cadence.skips_first) arguments.push_back(named("late", boolean(true)));
  return call("Epochs", std::move(arguments));
}

static Text when(const ir::Cadence& cadence, Parts& parts) {
  using Kind = ir::Cadence::Kind;
  switch (cadence.kind) {
    case Kind::since_last_update: parts.insert("Every"); return drifting(cadence);
    case Kind::per_batch:
      parts.insert("EachStep");
      return call("EachStep", {number(cadence.start.value), number(cadence.end.value)});
    case Kind::whole_epochs: parts.insert("Epochs"); return in_epochs(cadence);
    case Kind::counted: parts.insert("Steps"); return counted(*cadence.counted);
    case Kind::whole_steps: break;
  }
  return {};
}

// What is done once, or begins and ends.
static Text phase(const ir::Cadence& cadence, bool ends, Parts& parts) {
  ir::Cadence window = cadence;
  window.kind = cadence.counted ? cadence.kind : ir::Cadence::Kind::since_last_update;
  window.every.reset();
  window.end.value = ends ? cadence.end.value : -1;
  return when(window, parts);
}

// --- whom -------------------------------------------------------------------------------------------------

static std::string text_of(const ir::Term& term) {
  switch (term.kind) {
    case ir::Term::Kind::all: return "__ALL__";
    case ir::Term::Kind::all_prunable: return "__ALL_PRUNABLE__";
    case ir::Term::Kind::pattern: return "re:" + term.text;
    case ir::Term::Kind::part: return "part:" + term.text;
    default: return term.text;
  }
}

static Text names(const std::vector<std::string>& all) {
  std::vector<Text> items;
  std::ranges::transform(all, std::back_inserter(items), [](const std::string& name) { return quoted(name); });
  return list(std::move(items));
}

static Text terms(const ir::Selector& selector) {
  std::vector<std::string> all;
  std::ranges::transform(selector.terms, std::back_inserter(all), text_of);
  return names(all);
}

// Why a selector can't be written; empty where it can.
static std::string refusal(const ir::Selector& selector) {
  const auto odd = [](const ir::Term& term) {
    return term.kind == ir::Term::Kind::module_type || term.kind == ir::Term::Kind::all_quantizable;
  };
  if (selector.over != ir::Selector::Over::parameters && selector.over != ir::Selector::Over::either) {
    return "it selects modules, and only parameters are looked up";
  }
  return std::ranges::any_of(selector.terms, odd) ? "it selects by types of modules" : "";
}

static bool stops_without(const ir::Selector& selector) {
  return selector.strict || std::ranges::any_of(selector.terms, &ir::Term::required);
}

// The names that it takes where the model is known, else the selector itself.
static Text selected(const ir::Selector& selector, const WriteOptions& options) {
  if (options.parameters == nullptr) {
    return terms(selector);
  }
  const std::vector<bool> taken = ir::taken_by(selector, *options.parameters);
  std::vector<std::string> all;
  for (std::size_t at = 0; at < taken.size(); ++at) {
    if (taken[at]) all.push_back((*options.parameters)[at]);
  }
  return names(all);
}

// --- what -------------------------------------------------------------------------------------------------

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
            [](const ir::Quantize&) { return refuse("quantization is torch.ao.quantization's"); },
            [](const ir::Distill&) { return refuse("the teacher and its loss are the training script's"); },
            [](const auto&) { return refuse("it is not written yet"); },
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
      targets.push_back(
          tuple({owned ? names((*owned)[at]) : terms(prune.targets[at].selector), std::move(course.text)}));
    }
    std::vector<Text> arguments = {list(std::move(targets))};
    add_switches(prune, arguments);
    parts_.emplace(recipe_.rounding == ir::Rounding::nearest ? "keep_exactly" : "keep_above");
    return made("Prune", when(action_.cadence, parts_), std::move(arguments));
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
    if (prune.global) arguments.push_back(named("together", boolean(true)));
    if (ramp != nullptr && !ramp->from) arguments.push_back(named("measured", boolean(true)));
  }

  static std::string refused(const ir::Prune& prune) {
    if (prune.criterion != "magnitude") {
      return fmt::format("weights are ranked by {}, which takes more than the weights", prune.criterion);
    }
    if (prune.structure.kind != ir::Structure::Kind::unstructured) {
      return "structures are not written yet";
    }
    if (!prune.mask_groups.empty() || prune.followers || !prune.pool.empty()) {
      return "groups are not written yet";
    }
    for (const ir::Target& target : prune.targets) {
      if (const std::string reason = refusal(target.selector); !reason.empty()) {
        return reason;
      }
    }
    return "";
  }

  Entry holding(const ir::HoldMask& hold) {
    if (const std::string reason = refusal(hold.selector); !reason.empty()) {
      return refuse(reason);
    }
    ir::Cadence cadence = action_.cadence;
    cadence.every = source::Located<double>{-1, {}};
    return made("Hold", when(cadence, parts_), with_strictness(selected(hold.selector, options_), hold.selector));
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
    std::vector<Text> arguments = with_strictness(selected(trainable.selector, options_), trainable.selector);
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
