#include "rescale/times.h"

#include <fmt/format.h>

#include <set>

#include "base/number.h"
#include "base/text.h"
#include "ir/describe.h"
#include "source/path.h"

namespace sparsecfg::rescale {

using dialect::TimedField;
using dialect::Unit;
using source::Value;

static std::optional<double> number_of(const Value& value) {
  const auto* text = value.get<std::string>();
  return text != nullptr ? base::python_float(*text) : value.number();
}

class TimeFinder {
 public:
  TimeFinder(const ir::Recipe& recipe, const dialect::Dialect& dialect) : recipe_(recipe), dialect_(dialect) {}

  Times run() {
    for (const ir::Action& action : recipe_.actions) {
      label_ = fmt::format("`{}`", base::printable(ir::numbered_name(action.origin)));
      stage_ = action.origin.stage;
      place_ = action.origin.span;
      fields_ = action.origin.fields.empty() ? place_ : action.origin.fields.front().key;
      add_early_start(action);
      for (const TimedField& field : dialect_.times(action.origin)) {
        const ir::OriginField* found = action.origin.find(field.field);
        add(field, found == nullptr ? nullptr : &found->value);
      }
    }
    label_ = "the run";
    stage_.clear();
    for (const TimedField& field : dialect_.times(ir::Origin{})) {
      add(field, recipe_.metadata.find(field.field));
    }
    return std::move(out_);
  }

 private:
  static std::string name_of(const TimedField& field) {
    constexpr std::string_view kPolicy = "policy.";
    const std::string_view name = field.key.empty() ? field.field : field.key;
    return std::string(name.starts_with(kPolicy) ? name.substr(kPolicy.size()) : name);
  }

  std::string full_name(const TimedField& field) const { return fmt::format("`{}` of {}", name_of(field), label_); }

  void add(const TimedField& field, const Value* value) {
    if (value != nullptr && !field.key.empty()) {
      value = source::value_at(*value, field.key);
    }
    if (value != nullptr) {
      add_value(field, *value);
    } else if (const auto number = base::parse_double(field.default_value);
               number.value_or(0) > 0 && field.unit == Unit::epochs) {
      leave(field, place_, fmt::format("it has the default {}; write the field to rescale it", field.default_value));
    }
  }

  // Reports schedules that start at epoch -1. Ramps and rate curves count from there, so that epoch can't be rescaled.
  // Milestones also count from there and each comes one epoch late.
  void add_early_start(const ir::Action& action) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    const bool ramps = prune != nullptr && std::holds_alternative<ir::Ramp>(prune->curve);
    const auto* scheduler = std::get_if<ir::TorchScheduler>(&action.effect);
    const bool counts = scheduler != nullptr && scheduler->kind == ir::TorchScheduler::Kind::multi_step;
    const bool early = action.cadence.is<ir::SinceLastUpdate>() && action.cadence.start.value == -1;
    if (early && (ramps || counts || std::holds_alternative<ir::LearningRateCurve>(action.effect))) {
      out_.others.push_back({action.cadence.start.span, "the start of " + label_,
                             "the schedule counts from epoch -1, which is not rescaled"});
    }
  }

  // In a list of pairs the first element of each pair is the time.
  void add_value(const TimedField& field, const Value& value) {
    if (const auto* list = value.get<source::List>()) {
      for (const Value& item : *list) {
        const auto* pair = item.get<source::List>();
        add_value(field, pair != nullptr && !pair->empty() ? pair->front() : item);
      }
      return;
    }
    const auto number = number_of(value);
    if (field.unit == Unit::formula) {
      add_formula(field, value);
    } else if (field.unit == Unit::each_epoch) {
      if (number && *number != 0 && *number != 1) {
        leave(field, value.span, fmt::format("{} applies once per epoch and is not rescaled", *number));
      }
    } else if (number && *number > 0 && seen_.insert(value.span).second) {
      out_.numbers.push_back({value, *number, full_name(field), stage_, field.unit, field.whole});
    }
  }

  void add_formula(const TimedField& field, const Value& value) {
    const auto* text = value.get<std::string>();
    if (text != nullptr && text->find('(') != std::string::npos) {
      leave(field, value.span, "the formula is not rescaled");
    }
  }

  // Reports a value that is not rescaled, once for all actions that share it.
  void leave(const TimedField& field, source::Span place, std::string reason) {
    if (reported_.emplace(place == place_ ? fields_ : place, name_of(field)).second) {
      out_.others.push_back({place, full_name(field), std::move(reason)});
    }
  }

  const ir::Recipe& recipe_;
  const dialect::Dialect& dialect_;
  std::string label_;
  std::string stage_;
  source::Span place_;
  source::Span fields_;  // start of the fields, which actions may share
  std::set<source::Span> seen_;
  std::set<std::pair<source::Span, std::string>> reported_;
  Times out_;
};

Times find_times(const ir::Recipe& recipe, const dialect::Dialect& dialect) {
  return TimeFinder(recipe, dialect).run();
}

}  // namespace sparsecfg::rescale
