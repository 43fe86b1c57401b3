#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "base/text.h"
#include "dialect/dialect.h"
#include "dialect/schedule/schedule.h"
#include "ir/clock.h"

namespace sparsecfg::dialect::schedule {

constexpr const char* kSchema = "`sparsecfg schema ir` describes the field";

// More steps than these are not training; within the longest run that there can be no step leaves 64 bits.
constexpr std::uint64_t kMaxSteps = 1'000'000'000'000;

namespace {

// Looks at one recipe whose parts all have their types.
class Inspector {
 public:
  explicit Inspector(diag::Sink& sink) : sink_(sink) {}

  bool inspect(const ir::Recipe& recipe) {
    inspect_top(recipe);
    std::size_t built = 0;
    for (const ir::Action& action : recipe.actions) {
      place_ = action.origin.span;
      inspect_cadence(action.cadence);
      inspect_effect(action.effect);
      if (const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect)) {
        expect(scheduler->builds ? scheduler->number == built : scheduler->number < built, "number",
               "that of a scheduler built before it", std::to_string(scheduler->number));
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
    expect(find_dialect(recipe.dialect) != nullptr, "dialect", "the name of a dialect",
           "`" + base::printable(recipe.dialect) + "`");
    const std::size_t steps = recipe.steps_per_epoch.value_or(1);
    expect(steps >= 1 && steps <= ir::kMaxStepsPerEpoch, "steps_per_epoch", "an int from 1 to 1e9",
           std::to_string(steps));
    if (recipe.length) {
      place_ = recipe.length->span;
      const double epochs = recipe.length->epochs;
      expect(epochs >= 0, "epochs", "a number from 0 on", fmt::format("{}", epochs));
      expect(!recipe.length->field.empty() || recipe.length->action < recipe.actions.size(), "action",
             "the number of an action", std::to_string(recipe.length->action));
    }
  }

  void inspect_cadence(const ir::Cadence& cadence) {
    expect(cadence.within >= 0, "within", "an int from 0 on", std::to_string(cadence.within));
    expect((cadence.kind == ir::Cadence::Kind::counted) == cadence.counted.has_value(), "counted",
           "given where the kind is `counted`, and only there", cadence.counted ? "of another kind" : "missing");
    if (const auto& counted = cadence.counted) {
      const std::uint64_t max = counted->in_epochs ? static_cast<std::uint64_t>(ir::kMaxEpochs) : kMaxSteps;
      expect(counted->first <= max, "first", fmt::format("at most {}", max), std::to_string(counted->first));
      expect(counted->every >= 1 && counted->every <= max, "every", fmt::format("an int from 1 to {}", max),
             std::to_string(counted->every));
      expect(counted->parts >= 1, "parts", "an int from 1 on", "0");
    }
  }

  void inspect_effect(const ir::Effect& effect) {
    std::visit(
        base::Overloaded{
            [&](const ir::Prune& prune) {
              const auto* stairs = std::get_if<ir::PiecewiseConstant>(&prune.curve);
              expect(
                  stairs == nullptr || std::ranges::is_sorted(stairs->stairs, {}, &ir::PiecewiseConstant::Stair::epoch),
                  "stairs", "in the order of their epochs", "another order");
            },
            [&](const ir::EpochScheduler& scheduler) { inspect_course(scheduler.course); },
            [&](const base::AnyOf<ir::SetLearningRate, ir::LearningRateCurve, ir::SetWeightDecay> auto& one) {
              expect(std::ranges::none_of(one.groups, [](std::int64_t group) { return group < 0; }), "groups",
                     "ints from 0 on", "below 0");
            },
            [](const base::AnyOf<ir::EpochRange, ir::HoldMask, ir::TorchScheduler, ir::Quantize, ir::SetTrainable,
                                 ir::SetParameter, ir::Distill, ir::Opaque, ir::ThresholdPrune, ir::Regularize> auto&) {
            },
        },
        effect);
  }

  void inspect_course(const ir::EpochRateCurve& course) {
    std::visit(
        [&](const auto& each) {
          if constexpr (requires { each.milestones; }) {
            expect(std::ranges::is_sorted(each.milestones), "milestones", "ascending", "another order");
          }
          if constexpr (requires { each.gammas; }) {
            expect(each.gammas.size() == each.milestones.size(), "gammas", "as many as the milestones",
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
