#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "dialect/dialect.h"
#include "dialect/schedule/schedule.h"
#include "ir/clock.h"

namespace sparsecfg::dialect::schedule {

constexpr const char* kSchema = "see `sparsecfg schema ir` for the field";

// Upper limit of step numbers, so that step arithmetic can't overflow 64 bits.
constexpr std::uint64_t kMaxSteps = 1'000'000'000'000;

namespace {

// Checks one recipe in which all parts have the right types.
class Inspector {
 public:
  explicit Inspector(diag::Sink& sink) : sink_(sink) {}

  bool inspect(const ir::Recipe& recipe) {
    inspect_top(recipe);
    std::size_t built = 0;
    for (const ir::Action& action : recipe.actions) {
      place_ = action.origin.span;
      inspect_cadence(action.cadence);
      inspect_effect(action.effect, action.cadence);
      if (const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect)) {
        expect(scheduler->builds ? scheduler->number == built : scheduler->number < built, "number",
               "the number of a scheduler built before", std::to_string(scheduler->number));
        built += scheduler->builds ? 1 : 0;
      }
    }
    return whole_;
  }

 private:
  void expect(bool holds, std::string_view field, std::string_view expected, std::string_view found) {
    if (!holds) {
      sink_.report(diag::wrong_type, place_, field, expected, found).with_help(kSchema);
    }
    whole_ = whole_ && holds;
  }

  void inspect_top(const ir::Recipe& recipe) {
    expect(find_dialect(recipe.dialect) != nullptr, "dialect", "the name of a dialect", "`" + recipe.dialect + "`");
    const std::size_t steps = recipe.steps_per_epoch.value_or(1);
    expect(steps >= 1 && steps <= ir::kMaxStepsPerEpoch, "steps_per_epoch", "an int from 1 to 1000000000",
           std::to_string(steps));
    if (recipe.length) {
      place_ = recipe.length->span;
      const double epochs = recipe.length->epochs;
      expect(epochs >= 0, "epochs", "0 or more", fmt::format("{}", epochs));
      expect(!recipe.length->field.empty() || recipe.length->action < recipe.actions.size(), "action",
             "the index of an action", std::to_string(recipe.length->action));
    }
  }

  void inspect_cadence(const ir::Cadence& cadence) {
    if (const auto* epochs = std::get_if<ir::WholeEpochs>(&cadence.rhythm)) {
      expect(epochs->within >= 0, "within", "an int that is 0 or more", std::to_string(epochs->within));
    }
    if (const auto* counted = cadence.counted()) {
      const std::uint64_t max = counted->in_epochs ? static_cast<std::uint64_t>(ir::kMaxEpochs) : kMaxSteps;
      expect(counted->first <= max, "first", fmt::format("at most {}", max), std::to_string(counted->first));
      expect(counted->every >= 1 && counted->every <= max, "every", fmt::format("an int from 1 to {}", max),
             std::to_string(counted->every));
      expect(counted->parts >= 1, "parts", "an int that is 1 or more", "0");
    }
  }

  void inspect_effect(const ir::Effect& effect, const ir::Cadence& cadence) {
    std::visit(base::Overloaded{
                   [&](const ir::Prune& prune) {
                     if (std::holds_alternative<ir::Ramp>(prune.curve)) {
                       inspect_ramp(cadence);
                     }
                     const auto* stairs = std::get_if<ir::PiecewiseConstant>(&prune.curve);
                     expect(stairs == nullptr ||
                                std::ranges::is_sorted(stairs->stairs, {}, &ir::PiecewiseConstant::Stair::epoch),
                            "stairs", "sorted by epoch", "unsorted");
                   },
                   [&](const ir::EpochScheduler& scheduler) { inspect_course(scheduler.course); },
                   // Not of weight decays: Python counts negative indices from the end.
                   [&](const base::AnyOf<ir::SetLearningRate, ir::LearningRateCurve> auto& one) {
                     expect(std::ranges::none_of(one.groups, [](std::int64_t group) { return group < 0; }), "groups",
                            "ints that are 0 or more", "negative");
                   },
                   [](const base::AnyOf<ir::EpochRange, ir::HoldMask, ir::TorchScheduler, ir::Quantize,
                                        ir::SetTrainable, ir::SetParameter, ir::SetWeightDecay, ir::Distill, ir::Opaque,
                                        ir::ThresholdPrune, ir::Regularize> auto&) {},
               },
               effect);
  }

  void inspect_ramp(const ir::Cadence& cadence) {
    if (cadence.ends()) {
      place_ = cadence.end.span;
      expect(cadence.end.value > cadence.start.value, "end", "after `start`", fmt::format("{}", cadence.end.value));
    }
  }

  void inspect_course(const ir::EpochRateCurve& course) {
    std::visit(
        [&](const auto& each) {
          if constexpr (requires { each.milestones; }) {
            expect(std::ranges::is_sorted(each.milestones), "milestones", "sorted", "unsorted");
          }
          if constexpr (requires { each.gammas; }) {
            expect(each.gammas.size() == each.milestones.size(), "gammas", "as long as `milestones`",
                   std::to_string(each.gammas.size()));
          }
        },
        course);
  }

  diag::Sink& sink_;
  source::Span place_;
  bool whole_ = true;
};

}  // namespace

bool is_whole(const ir::Recipe& recipe, diag::Sink& sink) { return Inspector(sink).inspect(recipe); }

}  // namespace sparsecfg::dialect::schedule
