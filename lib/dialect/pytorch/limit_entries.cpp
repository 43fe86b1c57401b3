#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "dialect/pytorch/entries.h"
#include "dialect/pytorch/entry_parts.h"

// Writes pruning by thresholds, and penalties on the loss.
namespace sparsecfg::dialect::pytorch {

class LimitEntry : private EntryParts {
 public:
  explicit LimitEntry(const EntryParts& about) : EntryParts(about) {}

  Entry make(const ir::ThresholdPrune& prune) const {
    const bool grows = prune.criterion == "baidu";
    if (std::string reason = refused_arguments(); !reason.empty()) {
      return refuse(reason);
    }
    if (!grows && prune.criterion != "sensitivity" && prune.criterion != "magnitude") {
      return refuse(fmt::format("thresholds of {} are not supported",
                                prune.criterion.empty() ? "this class" : "`" + prune.criterion + "`"));
    }
    std::vector<Text> targets;
    for (const auto& threshold : prune.thresholds) {
      const auto value = threshold.value.number();
      std::string reason = refusal(threshold.selector);
      if (!reason.empty() || (!grows && !value)) {
        return refuse(reason.empty() ? "a threshold is not a number" : reason);
      }
      targets.push_back(tuple({terms(threshold.selector, parts_), grows ? growing_limit() : number(*value)}));
    }
    std::vector<Text> arguments = {list(std::move(targets))};
    if (prune.criterion == "sensitivity") arguments.push_back(named("relative", boolean(true)));
    return made("Threshold", when(action_.cadence, parts_), std::move(arguments));
  }

  Entry make(const ir::Regularize& regularize) const {
    if (!regularize.thresholds_by.empty()) {
      return refuse("thresholding after each step is not supported");
    }
    std::vector<Text> out;
    for (const auto& strength : regularize.strengths) {
      if (strength.group == "Channels+4D" || strength.group == "4D+Channels") {
        return refuse("Distiller fails on groups that combine channels and layers");
      }
      out.push_back(tuple({terms(strength.selector, parts_), penalty(regularize, strength)}));
    }
    return made("Regularize", when(action_.cadence, parts_), {list(std::move(out))});
  }

 private:
  double argument(std::string_view name) const {
    const ir::OriginField* field = action_.origin.find(name);
    return field == nullptr ? 0 : field->value.number().value_or(0);
  }

  // Returns the threshold of BaiduRNNPruner as a function of the epoch.
  Text growing_limit() const {
    parts_.insert("baidu");
    const ir::Cadence& cadence = action_.cadence;
    std::vector<Text> arguments = {number(argument("q")),
                                   number(argument("ramp_epoch_offset")),
                                   number(argument("ramp_slope_mult")),
                                   number(cadence.start.value),
                                   number(cadence.end_or(-1)),
                                   number(cadence.every_or(1)),
                                   {"epoch"}};
    const ir::Action& first = first_of_pruner();
    if (&first != &action_) arguments.push_back(named("slope", number(slope_of(first.cadence))));
    return lambda("epoch", call("baidu", std::move(arguments)));
  }

  // Returns the policy of the same pruner that acts first. BaiduRNNPruner computes its slope once.
  const ir::Action& first_of_pruner() const {
    const ir::Action* first = &action_;
    for (const ir::Action& each : recipe_.actions) {
      const bool same =
          each.origin.group == action_.origin.group && each.origin.class_name == action_.origin.class_name;
      if (same &&
          std::pair(first_epoch(each), each.origin.ordinal) < std::pair(first_epoch(*first), first->origin.ordinal)) {
        first = &each;
      }
    }
    return *first;
  }

  // Returns the first epoch from 0 on in which an action acts; infinity if there is none.
  static double first_epoch(const ir::Action& action) {
    const double start = action.cadence.start.value;
    const double every = action.cadence.every_or(1);
    const double first = start < 0 && every > 0 ? start + std::ceil(-start / every) * every : start;
    return first < action.cadence.end_or(-1) ? first : std::numeric_limits<double>::infinity();
  }

  double slope_of(const ir::Cadence& cadence) const {
    const double ramp = argument("ramp_epoch_offset") + cadence.start.value;
    return 2 * argument("q") * cadence.every_or(1) /
           (2 * (ramp - cadence.start.value) + 3 * (cadence.end_or(-1) - ramp));
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
    return lambda("weight", call("lasso", {{by}, python_string(strength.group), {"weight"}}));
  }
};

Entry limit_entry(const EntryParts& about, const ir::ThresholdPrune& prune) { return LimitEntry(about).make(prune); }

Entry limit_entry(const EntryParts& about, const ir::Regularize& regularize) {
  return LimitEntry(about).make(regularize);
}

}  // namespace sparsecfg::dialect::pytorch
