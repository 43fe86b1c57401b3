#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "dialect/distiller/read.h"
#include "dialect/distiller/rules.h"

// Checks for values that the constructors of learning rate schedulers reject (docs/semantics/distiller.md#b6).
namespace sparsecfg::dialect::distiller {

class SchedulerRules {
 public:
  SchedulerRules(Component& scheduler, const Reading& reading)
      : scheduler_(scheduler), sink_(reading.sink), ai8x_(reading.is_ai8x()) {}

  void check() {
    switch (scheduler_.spec->meaning.as<Meaning>()) {
      case Meaning::multi_step: ai8x_ ? check_counted() : check_milestones(); break;
      case Meaning::multi_gamma: check_gammas(); break;
      case Meaning::warm_restarts:
        check_whole("T_0");
        check_whole("T_mult");
        break;
      case Meaning::plateau: check_plateau(); break;
      case Meaning::one_cycle: check_cycle(); break;
      default: break;
    }
    check_first_rate();
  }

 private:
  void reject(const Value& value, std::string_view field, std::string_view expected) {
    scheduler_.valid = false;
    sink_.report(diag::wrong_type, value.span, field, expected, source::describe(value));
  }

  // Returns the numbers of a list; nullopt if an item is not a number.
  std::optional<std::vector<double>> check_list(std::string_view name) {
    const Field* field = scheduler_.fields.readable(name);
    const auto* list = field == nullptr ? nullptr : field->value.get<source::List>();
    std::vector<double> numbers;
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
      const auto number = (*list)[at].number();
      if (!number) {
        reject((*list)[at], name, "a list of numbers");
        return std::nullopt;
      }
      numbers.push_back(*number);
    }
    return list == nullptr ? std::nullopt : std::optional(numbers);
  }

  void check_milestones() {
    for (const Value& milestone : milestones_of(scheduler_)) {
      if (!milestone.number()) {
        reject(milestone, "milestones", "a list of numbers");
        return;
      }
    }
  }

  // A scheduler that counts its steps ignores milestones that are never equal to a count.
  void check_counted() {
    for (const Value& milestone : milestones_of(scheduler_)) {
      const auto number = milestone.number();
      if (!number || *number < 0 || *number != std::floor(*number)) {
        sink_
            .report(diag::milestone_outside_window, milestone.span, source::python_str(milestone),
                    "reached: the scheduler counts its steps")
            .with_severity(diag::Severity::warning)
            .with_help("write an int of 0 or more, without quotes");
      }
    }
  }

  void check_gammas() {
    const auto milestones = check_list("milestones");
    const auto gammas = check_list("gammas");
    if (!milestones || !gammas) {
      return;
    }
    const Span place = scheduler_.fields.place("milestones");
    if (milestones->size() != gammas->size()) {
      scheduler_.valid = false;
      sink_.report(diag::milestones_gammas_length, place, milestones->size(), gammas->size())
          .with_label(scheduler_.fields.place("gammas"), "list of gammas");
    } else if (!std::ranges::is_sorted(*milestones)) {
      scheduler_.valid = false;
      sink_.report(diag::milestones_unsorted, place);
    }
  }

  // Checks for an int of at least 1, since torch checks the type.
  void check_whole(std::string_view name) {
    const Field* field = scheduler_.fields.readable(name);
    const auto* whole = field == nullptr ? nullptr : field->value.get<std::int64_t>();
    const bool fits = field == nullptr || (whole != nullptr && *whole > 0) ||
                      (field->value.get<bool>() != nullptr && python::is_true(field->value));
    if (!fits) {
      reject(field->value, name, "an int above 0");
    }
  }

  void check_word(std::string_view name, std::string_view first, std::string_view second) {
    const Field* field = scheduler_.fields.readable(name);
    const auto* text = field == nullptr ? nullptr : field->value.get<std::string>();
    if (field != nullptr && (text == nullptr || (*text != first && *text != second))) {
      scheduler_.valid = false;
      sink_.report(diag::unknown_choice, field->value.span, source::python_str(field->value), name)
          .with_help(fmt::format("write `{}` or `{}`", first, second));
    }
  }

  void check_plateau() {
    check_word("mode", "min", "max");
    check_word("threshold_mode", "rel", "abs");
    const Field* factor = scheduler_.fields.readable("factor");
    if (factor != nullptr && *factor->value.number() >= 1) {
      scheduler_.valid = false;
      sink_.report(diag::number_out_of_range, factor->value.span, "factor", source::python_str(factor->value),
                   "numbers below 1", scheduler_.spec->name);
    }
  }

  // torch requires ints above 0, and a float between 0 and 1.
  void check_cycle() {
    check_length();
    const Field* total = scheduler_.fields.readable("total_steps");
    if (total != nullptr && !total->value.is_null()) {
      check_whole("total_steps");
    } else {
      check_whole("epochs");
      check_whole("steps_per_epoch");
    }
    const Field* rise = scheduler_.fields.readable("pct_start");
    if (rise != nullptr && rise->value.get<double>() == nullptr) reject(rise->value, "pct_start", "a float");
  }

  // The constructor computes the rate of epoch 0. Distiller also constructs schedulers that no policy uses.
  void check_first_rate() {
    const auto course = scheduler_.valid ? course_of(scheduler_) : std::nullopt;
    if (!course || !is_built_with_rate() || !ir::fails_at(*course, 0)) {
      return;
    }
    scheduler_.valid = false;
    sink_.report(diag::rate_not_computable, scheduler_.fields.key, scheduler_.spec->name, "0")
        .with_help("change its arguments: the constructor divides by 0");
  }

  // StepLR, CosineAnnealingLR and LinearLR keep the rate at epoch 0 without computing it.
  [[nodiscard]] bool is_built_with_rate() const {
    switch (scheduler_.spec->meaning.as<Meaning>()) {
      case Meaning::polynomial:
      case Meaning::cyclic:
      case Meaning::one_cycle: return true;
      default: return false;
    }
  }

  // torch requires the length as one number or as the product of two.
  void check_length() {
    const auto given = [&](std::string_view name) {
      const Field* field = scheduler_.fields.find(name);
      return field != nullptr && !field->value.is_null();
    };
    if (!given("total_steps") && !(given("epochs") && given("steps_per_epoch"))) {
      scheduler_.valid = false;
      sink_.report(diag::missing_required, scheduler_.fields.key, scheduler_.spec->name, "total_steps");
    }
  }

  Component& scheduler_;
  diag::Sink& sink_;
  bool ai8x_;
};

void check_scheduler(Component& scheduler, const Reading& reading) { SchedulerRules(scheduler, reading).check(); }

}  // namespace sparsecfg::dialect::distiller
