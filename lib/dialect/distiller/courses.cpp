#include <algorithm>

#include "dialect/distiller/read.h"

// Learning rate schedulers as functions of the epoch (docs/semantics/distiller.md#b6, #c9).
namespace sparsecfg::dialect::distiller {

std::vector<Value> milestones_of(const Component& scheduler) {
  const Field* field = scheduler.fields.readable("milestones");
  const auto* list = field == nullptr ? nullptr : field->value.get<source::List>();
  const auto* map = field == nullptr ? nullptr : field->value.get<source::Map>();
  std::vector<Value> out = list == nullptr ? std::vector<Value>() : *list;
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    constexpr double kMaxTimes = 1000;
    const double times = std::min((*map)[at].second.number().value_or(1), kMaxTimes);
    for (double time = 0; time < times; ++time) out.push_back((*map)[at].first);
  }
  const bool is_other = field != nullptr && list == nullptr && map == nullptr && !field->value.is_null();
  if (is_other) out.push_back(field->value);
  return out;
}

// Reads numeric arguments of a component and records whether all of them are numbers.
class Numbers {
 public:
  explicit Numbers(const Component& component) : component_(component) {}

  double operator()(std::string_view name) {
    const auto number = component_.fields.number(name);
    complete_ &= number.has_value();
    return number.value_or(0);
  }

  std::optional<double> maybe(std::string_view name) const { return component_.fields.number(name); }

  std::vector<double> list(std::string_view name) {
    const Field* field = component_.fields.find(name);
    const auto* items = field == nullptr ? nullptr : field->value.get<source::List>();
    complete_ &= items != nullptr;
    std::vector<double> numbers;
    for (std::size_t at = 0; items != nullptr && at < items->size(); ++at) {
      const auto number = (*items)[at].number();
      complete_ &= number.has_value();
      numbers.push_back(number.value_or(0));
    }
    return numbers;
  }

  // Ignores milestones that are not numbers; where they matter they are reported.
  std::vector<double> milestones() const {
    std::vector<double> numbers;
    for (const Value& milestone : milestones_of(component_)) {
      if (const auto number = milestone.number()) numbers.push_back(*number);
    }
    std::ranges::sort(numbers);
    return numbers;
  }

  [[nodiscard]] bool complete() const { return complete_; }

 private:
  const Component& component_;
  bool complete_ = true;
};

static ir::Cyclic cyclic(const Component& component, Numbers& number) {
  using Mode = ir::Cyclic::Mode;
  const double up = number("step_size_up");
  const std::string mode = component.fields.text("mode");
  const bool exponential = mode == "exp_range";
  return {number("base_lr"),
          number("max_lr"),
          up,
          number.maybe("step_size_down").value_or(up),
          exponential             ? Mode::exp_range
          : mode == "triangular2" ? Mode::triangular2
                                  : Mode::triangular,
          number("gamma"),
          !exponential};
}

static ir::OneCycle one_cycle(const Component& component, Numbers& number) {
  const auto total = number.maybe("total_steps");
  const double epochs = total ? *total : number("epochs") * number("steps_per_epoch");
  return {number("max_lr"),
          epochs,
          number("pct_start"),
          component.fields.text("anneal_strategy") != "linear",
          number("div_factor"),
          number("final_div_factor"),
          is_enabled(component.fields, "three_phase")};
}

static ir::EpochRateCurve make(const Component& component, Numbers& number) {
  switch (component.spec->kind.as<ClassKind>()) {
    case ClassKind::step: return ir::StepDecay{number("step_size"), number("gamma")};
    case ClassKind::multi_step: return ir::MilestoneDecay{number.milestones(), number("gamma")};
    case ClassKind::multi_gamma: return ir::MilestoneFactors{number.list("milestones"), number.list("gammas")};
    case ClassKind::exponential: return ir::ExponentialDecay{number("gamma")};
    case ClassKind::cosine: return ir::CosineAnnealing{number("T_max"), number("eta_min")};
    case ClassKind::warm_restarts: return ir::CosineRestarts{number("T_0"), number("T_mult"), number("eta_min")};
    case ClassKind::polynomial: return ir::PolynomialDecay{number("T_max"), number("power")};
    case ClassKind::constant_factor: return ir::FactorRamp{number("factor"), 1, number("total_iters"), false};
    case ClassKind::linear_factor:
      return ir::FactorRamp{number("start_factor"), number("end_factor"), number("total_iters"), true};
    case ClassKind::cyclic: return cyclic(component, number);
    case ClassKind::one_cycle: return one_cycle(component, number);
    default: return ir::Plateau{};
  }
}

std::optional<ir::EpochRateCurve> course_of(const Component& scheduler) {
  Numbers number(scheduler);
  ir::EpochRateCurve course = make(scheduler, number);
  return number.complete() ? std::optional(std::move(course)) : std::nullopt;
}

}  // namespace sparsecfg::dialect::distiller
