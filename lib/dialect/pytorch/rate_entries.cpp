#include "dialect/pytorch/entries.h"
#include "dialect/pytorch/entry_parts.h"

// Writes learning rates and weight decay.
namespace sparsecfg::dialect::pytorch {

class RateEntry : private EntryParts {
 public:
  explicit RateEntry(const EntryParts& about) : EntryParts(about) {}

  Entry make(const ir::SetLearningRate& set) const { return rate(number(set.rate.value), set.groups, true); }

  Entry make(const ir::LearningRateCurve& curve) const {
    return rate(rate_course(curve, action_.cadence, parts_), curve.groups, false);
  }

  Entry make(const ir::TorchScheduler& scheduler) const {
    using Kind = ir::TorchScheduler::Kind;
    const ir::Cadence cadence = at_every_step(action_.cadence);
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
      arguments.push_back(named("every", number(scheduler.step_size.value)));
    } else {
      std::vector<Text> milestones;
      for (const auto& milestone : scheduler.milestones) milestones.push_back(number(milestone.value));
      arguments.push_back(named("milestones", list(std::move(milestones))));
    }
    return made("Decay", when(cadence, parts_), std::move(arguments));
  }

  Entry make(const ir::EpochScheduler& scheduler) const {
    if (scheduler.chains) {
      return refuse("its rate depends on the steps of this and other schedulers");
    }
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

  Entry make(const ir::SetWeightDecay& decay) const {
    std::vector<Text> arguments = {number(decay.decay.value)};
    add_groups(decay.groups, arguments);
    return made("WeightDecay", phase(action_.cadence, false, parts_), std::move(arguments));
  }

 private:
  static void add_groups(const ir::ParameterGroups& groups, std::vector<Text>& arguments) {
    std::vector<Text> indices;
    for (const std::int64_t group : groups) indices.push_back({std::to_string(group)});
    if (!groups.empty()) arguments.push_back(named("groups", list(std::move(indices))));
  }

  Entry rate(Text value, const ir::ParameterGroups& groups, bool once) const {
    std::vector<Text> arguments = {std::move(value)};
    add_groups(groups, arguments);
    return made("Rate", once ? phase(action_.cadence, false, parts_) : when(action_.cadence, parts_),
                std::move(arguments));
  }
};

Entry rate_entry(const EntryParts& about, const ir::SetLearningRate& set) { return RateEntry(about).make(set); }

Entry rate_entry(const EntryParts& about, const ir::LearningRateCurve& curve) { return RateEntry(about).make(curve); }

Entry rate_entry(const EntryParts& about, const ir::TorchScheduler& scheduler) {
  return RateEntry(about).make(scheduler);
}

Entry rate_entry(const EntryParts& about, const ir::EpochScheduler& scheduler) {
  return RateEntry(about).make(scheduler);
}

Entry rate_entry(const EntryParts& about, const ir::SetWeightDecay& decay) { return RateEntry(about).make(decay); }

}  // namespace sparsecfg::dialect::pytorch
