#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/limits.h"
#include "base/number.h"
#include "dialect/sparseml/write/write.h"
#include "dialect/write.h"

// Converts learning rates of another dialect (docs/semantics/conversions.md#a2).
namespace sparsecfg::dialect::sparseml {

using source::Value;

class RateWriter {
 public:
  RateWriter(const ir::Recipe& recipe, const WriteOptions& options, std::vector<ActionStatus>& statuses,
             diag::Sink& sink)
      : recipe_(recipe), options_(options), statuses_(statuses), sink_(sink) {
    for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
      if (ir::moves_learning_rate(recipe.actions[index].effect)) stepping_.push_back(index);
    }
  }

  std::vector<Draft> write() {
    if (stepping_.empty() && options_.rates.changes.empty()) {
      return {};
    }
    if (const auto reason = obstacle()) {
      for (const std::size_t index : stepping_) {
        drop(statuses_[index], recipe_.actions[index], *reason, sink_);
      }
      return {};
    }
    if (options_.rate_is_variable) {
      report_variable();
    }
    for (const std::size_t index : stepping_) {
      if (options_.plan.of(index).moves_momentum) {
        dialect::approximate(
            statuses_[index], recipe_.actions[index],
            "it also changes the momentum of the optimizer, but SparseML changes only the learning rate", sink_);
      }
    }
    std::vector<Draft> drafts;
    if (options_.compact_rates && add_compact(drafts)) {
      return drafts;
    }
    return piecewise();
  }

 private:
  void report_variable() {
    const bool fixed =
        std::ranges::any_of(options_.rates.changes, [](const RateChange& each) { return each.fixed != 0; });
    for (const std::size_t index : stepping_) {
      dialect::approximate(
          statuses_[index], recipe_.actions[index],
          fmt::format("its rates are multiples of the variable `init_lr`, which must be set to the initial rate of "
                      "the trainer{}",
                      fixed ? ", plus a fixed part" : ""),
          sink_);
    }
  }

  std::optional<std::string> obstacle() const {
    const auto follows_training = [&](std::size_t index) {
      const auto* scheduler = std::get_if<ir::EpochScheduler>(&recipe_.actions[index].effect);
      return scheduler != nullptr && std::holds_alternative<ir::Plateau>(scheduler->course);
    };
    if (std::ranges::any_of(stepping_, follows_training)) {
      return "its rate depends on the progress of the training";
    }
    if (!options_.rates.known) {
      return "its initial rate is set by the trainer; pass it with `--initial-lr`";
    }
    if (!options_.rates.complete) {
      return fmt::format("its rate changes more than {} times, and SparseML needs a modifier for each change",
                         limits::kMaxRateChanges);
    }
    for (const RateChange& change : options_.rates.changes) {
      if (change.rate < 0 || change.rate > 1) {
        return fmt::format("the rate at epoch {} is {}, but SparseML accepts only rates from 0 to 1",
                           base::python_repr(change.epoch), base::python_repr(change.rate));
      }
    }
    return std::nullopt;
  }

  // --- one modifier per rate ---------------------------------------------------------------------

  std::vector<Draft> piecewise() const {
    std::vector<Draft> drafts;
    const auto& changes = options_.rates.changes;
    for (std::size_t at = 0; at < changes.size(); ++at) {
      const bool of_trainer =
          !options_.rate_is_variable && changes[at].epoch <= 0 && options_.initial_rate == changes[at].rate;
      const double until = at + 1 < changes.size() ? changes[at + 1].epoch : options_.epochs.value_or(0);
      if (!of_trainer && (at + 1 < changes.size() || changes[at].epoch < until)) {
        drafts.push_back(constant(changes[at], until));
      }
    }
    return drafts;
  }

  // Returns the rate as a number, or as an expression: a multiple of the variable plus a fixed part.
  Value rate_value(double rate, double fixed) const {
    const double multiple = options_.rate_is_variable ? (rate - fixed) / *options_.initial_rate : 0;
    if (std::abs(multiple) <= 1e-12) {
      return real(rate);
    }
    const std::string product = multiple == 1 ? "init_lr" : fmt::format("init_lr * {}", base::python_repr(multiple));
    return word(fixed == 0  ? fmt::format("eval({})", product)
                : fixed > 0 ? fmt::format("eval({} + {})", product, base::python_repr(fixed))
                            : fmt::format("eval({} - {})", product, base::python_repr(-fixed)));
  }

  // SetLearningRateModifier rejects a rate of 0, but LearningRateFunctionModifier accepts it for both ends.
  Draft constant(const RateChange& change, double until) const {
    Draft draft{
        change.rate > 0 ? "SetLearningRateModifier" : "LearningRateFunctionModifier", "", "training_modifiers", {}};
    draft.set("start_epoch", real(change.epoch));
    if (change.rate > 0) {
      draft.set("learning_rate", rate_value(change.rate, change.fixed));
    } else {
      draft.set("end_epoch", real(until));
      draft.set("lr_func", word("linear"));
      draft.set("init_lr", real(0));
      draft.set("final_lr", real(0));
    }
    return draft;
  }

  // --- one PyTorch scheduler ---------------------------------------------------------------------

  // Returns true if one modifier can represent the only scheduler. From the second active epoch on, Distiller passes
  // absolute epochs to the scheduler, and its last rate stays in effect.
  bool add_compact(std::vector<Draft>& drafts) {
    if (stepping_.size() != 1 || !options_.initial_rate) {
      return false;
    }
    const ir::Action& action = recipe_.actions[stepping_.front()];
    const ir::Cadence& cadence = action.cadence;
    const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect);
    const bool each_epoch =
        cadence.listed().empty() && cadence.every_or(0) == 1 && cadence.start.value < cadence.end.value;
    if (scheduler == nullptr || scheduler->chains || !each_epoch) {
      return false;
    }
    start_ = cadence.start.value > 0 ? cadence.start.value + 1 : 0;
    end_ = cadence.end.value + 1;
    const double length = options_.epochs.value_or(end_);
    end_ = std::max(std::min(end_, length), start_);
    return start_ < end_ && std::visit([&](const auto& course) { return add(drafts, course); }, scheduler->course);
  }

  bool add(std::vector<Draft>& drafts, const ir::ExponentialDecay& decay) const {
    return scheduler(drafts, "ExponentialLR", *options_.initial_rate * std::pow(decay.gamma, start_),
                     {{word("gamma"), real(decay.gamma)}});
  }

  bool add(std::vector<Draft>& drafts, const ir::StepDecay& decay) const {
    const double passed = std::floor(start_ / decay.epochs);
    if (passed * decay.epochs == start_) {
      return scheduler(drafts, "StepLR", *options_.initial_rate * std::pow(decay.gamma, passed),
                       {{word("gamma"), real(decay.gamma)}, {word("step_size"), real(decay.epochs)}});
    }
    std::vector<double> milestones;
    for (double at = (passed + 1) * decay.epochs; at < end_; at += decay.epochs) {
      milestones.push_back(at);
    }
    return add_milestones(drafts, milestones, decay.gamma, passed);
  }

  bool add(std::vector<Draft>& drafts, const ir::MilestoneDecay& decay) const {
    if (std::ranges::adjacent_find(decay.milestones) != decay.milestones.end()) {
      return false;
    }
    std::vector<double> left;
    std::ranges::copy_if(decay.milestones, std::back_inserter(left),
                         [&](double at) { return at > start_ && at < end_; });
    const auto passed = std::ranges::count_if(decay.milestones, [&](double at) { return at <= start_; });
    return add_milestones(drafts, left, decay.gamma, static_cast<double>(passed));
  }

  bool add(std::vector<Draft>&, const auto&) const { return false; }

  bool add_milestones(std::vector<Draft>& drafts, const std::vector<double>& milestones, double gamma,
                      double passed) const {
    source::List list;
    for (const double milestone : milestones) {
      list.push_back(real(milestone));
    }
    return !list.empty() && scheduler(drafts, "MultiStepLR", *options_.initial_rate * std::pow(gamma, passed),
                                      {{word("gamma"), real(gamma)}, {word("milestones"), {std::move(list), {}}}});
  }

  bool scheduler(std::vector<Draft>& drafts, std::string_view lr_class, double rate, source::Map arguments) const {
    if (rate <= 0 || rate > 1) {
      return false;
    }
    Draft draft{"LearningRateModifier", "", "training_modifiers", {}};
    draft.set("start_epoch", real(start_));
    draft.set("end_epoch", real(end_));
    draft.set("lr_class", word(lr_class));
    draft.set("lr_kwargs", {std::move(arguments), {}});
    draft.set("init_lr", rate_value(rate, 0));
    drafts.push_back(std::move(draft));
    return true;
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  std::vector<ActionStatus>& statuses_;
  diag::Sink& sink_;
  std::vector<std::size_t> stepping_;  // indices of the actions that change the rate
  double start_ = 0;                   // start epoch of the single modifier
  double end_ = 0;
};

std::vector<Draft> rate_modifiers(const ir::Recipe& recipe, const WriteOptions& options,
                                  std::vector<ActionStatus>& statuses, diag::Sink& sink) {
  return RateWriter(recipe, options, statuses, sink).write();
}

}  // namespace sparsecfg::dialect::sparseml
