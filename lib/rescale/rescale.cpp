#include "rescale/rescale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>
#include <variant>

#include "base/number.h"
#include "base/text.h"
#include "dialect/record/types.h"
#include "rescale/expressions.h"
#include "rescale/times.h"
#include "source/edits.h"

namespace sparsecfg::rescale {

using dialect::Unit;
using source::Span;
using source::Value;

std::optional<double> length_of(const ir::Recipe& recipe, const dialect::Dialect& dialect) {
  if (!recipe.length) {
    return std::nullopt;
  }
  for (const Time& time : find_times(recipe, dialect).numbers) {
    if (time.value.span == recipe.length->span && time.unit == Unit::epochs) return time.number;
  }
  return recipe.length->epochs;
}

// --- values of actions ------------------------------------------------------------------------------

// A scalar value with its label.
struct Leaf {
  std::string label;
  Value value;
  std::string stage;
};

static void add_leaves(const Value& value, const std::string& label, const std::string& stage, std::vector<Leaf>& out) {
  if (const auto* list = value.get<source::List>()) {
    for (const Value& item : *list) add_leaves(item, label, stage, out);
  } else if (const auto* map = value.get<source::Map>()) {
    for (const source::Entry& entry : *map) add_leaves(entry.second, label, stage, out);
  } else {
    out.push_back({label, value, stage});
  }
}

static std::vector<Leaf> leaves_of(const ir::Recipe& recipe) {
  std::vector<const ir::Action*> actions;
  for (const ir::Action& action : recipe.actions) actions.push_back(&action);
  std::ranges::stable_sort(actions, {}, [](const ir::Action* action) { return action->origin.span; });
  std::vector<Leaf> out;
  for (const ir::Action* action : actions) {
    const ir::Origin& origin = action->origin;
    for (const ir::OriginField& field : origin.fields) {
      add_leaves(field.value, fmt::format("`{}` of `{}#{}`", field.name, origin.class_name, origin.ordinal),
                 origin.stage, out);
    }
  }
  return out;
}

// --- rescaling --------------------------------------------------------------------------------------

class Rescaler {
 public:
  Rescaler(const Compilation& compilation, const doc::Document& document, const dialect::Dialect& dialect,
           const Request& request)
      : compilation_(compilation),
        recipe_(*compilation.recipe),
        request_(request),
        scalars_(*compilation.file, document),
        times_(find_times(recipe_, dialect)) {
    out_.factor = request.factor ? *request.factor : Factor{*request.epochs, *length_of(recipe_, dialect)};
  }

  Rescaled run() {
    for (const Unscalable& each : times_.others) {
      out_.remarks.push_back({each.label, each.place, each.reason});
    }
    std::vector<const Time*> expressions;
    for (const Time& time : times_.numbers) {
      if (!scales(time.unit)) continue;
      times_by_place_.emplace(time.value.span, &time);
      const doc::Node* scalar = scalars_.at(time.value.span);
      if (scalar != nullptr && inside_eval(scalar->text)) {
        expressions.push_back(&time);
      } else {
        change_number(time, scalar);
      }
    }
    change_expressions(expressions);
    out_.text = source::apply_edits(compilation_.file->text(), each_once(std::move(edits_)));
    check();
    std::ranges::stable_sort(out_.changes, {}, &Change::place);
    return std::move(out_);
  }

 private:
  // Removes duplicate edits, because YAML aliases refer to the same number.
  static std::vector<format::Edit> each_once(std::vector<format::Edit> edits) {
    std::ranges::stable_sort(edits, {}, &format::Edit::span);
    const auto same_place = [](const format::Edit& one, const format::Edit& other) { return one.span == other.span; };
    edits.erase(std::unique(edits.begin(), edits.end(), same_place), edits.end());
    return edits;
  }

  bool scales(Unit unit) const {
    switch (unit) {
      case Unit::epochs: return true;
      case Unit::epochs_between: return request_.frequencies || request_.keeps_steps;
      case Unit::steps: return !request_.keeps_steps;
      case Unit::steps_between: return request_.frequencies && !request_.keeps_steps;
      case Unit::updates: return !request_.frequencies && !request_.keeps_steps;
      case Unit::none:
      case Unit::each_epoch:
      case Unit::formula: return false;
    }
    return false;
  }

  // Returns the scaled time. Fields that must be whole stay whole and at least 1.
  double scaled(const Time& time) const {
    const double exact = out_.factor.of(time.number);
    const bool rounds = time.whole && time.number == std::floor(time.number);
    return rounds ? std::max(1.0, std::nearbyint(exact)) : exact;
  }

  // Returns the time to write for a literal. Times in steps and numbers of updates keep all digits.
  double written(const Time& time) {
    const double exact = scaled(time);
    const bool in_epochs = time.unit == Unit::epochs || time.unit == Unit::epochs_between;
    const double after = request_.rounds && !request_.keeps_steps && in_epochs ? readable(exact) : exact;
    if (after != exact && rounded_.emplace(time.value.span, after).second) ++out_.rounded;
    return after;
  }

  void change_number(const Time& time, const doc::Node* scalar) {
    const double after = written(time);
    const double exact = out_.factor.of(time.number);
    if (after == time.number && after == exact) {
      return;  // the field does not change
    }
    const auto edit =
        scalar == nullptr ? std::nullopt : scalars_.rewritten(*scalar, written_like(base::trim(scalar->text), after));
    if (!edit) {
      remark(time, "it is not written as a number on one line");
      return;
    }
    if (after != exact && !rounded_.contains(time.value.span)) {
      remark(time, fmt::format("{} is rounded to {}, because it must be an integer", base::python_repr(exact), after));
    }
    note_overshoot(time, after);
    if (after != time.number) edits_.push_back(*edit);
  }

  // Reports a changed overshoot: if the number of updates is fractional, the last update goes beyond the target.
  void note_overshoot(const Time& time, double after) {
    const double overshoot = std::ceil(time.number) / time.number;
    if (time.unit == Unit::updates && std::ceil(after) / after != overshoot) {
      remark(time,
             fmt::format("the last of {:.6g} updates reaches {:.6g} of the ramp, the last of {:.6g} reaches {:.6g}",
                         time.number, overshoot, after, std::ceil(after) / after));
    }
  }

  void remark(const Time& time, std::string reason) {
    out_.remarks.push_back({time.label, time.value.span, std::move(reason)});
  }

  // Values that are not times must not change, so they are required first.
  void change_expressions(const std::vector<const Time*>& expressions) {
    Expressions constraints(scalars_, recipe_, out_.factor);
    for (const Leaf& leaf : leaves_of(recipe_)) {
      if (!times_by_place_.contains(leaf.value.span)) constraints.require(leaf.value.span, leaf.stage, false);
    }
    for (const Time* time : expressions) {
      constraints.require(time->value.span, time->stage, true);
    }
    std::ranges::move(constraints.solve(), std::back_inserter(edits_));
    for (const ir::Variable* variable : constraints.multiplied()) out_.variables.push_back(variable->name);
  }

  // --- check of the result -------------------------------------------------------------------------

  void check() {
    CompileOptions options = request_.compile;
    options.errors_only = true;
    const Compilation back = compile(compilation_.file->name(), out_.text, options);
    if (!back.recipe || back.count(diag::Severity::error) > 0) {
      out_.faults = compile(compilation_.file->name(), out_.text, request_.compile);
      return;
    }
    out_.length = back.recipe->length ? std::optional(back.recipe->length->epochs) : std::nullopt;
    const std::vector<Leaf> before = leaves_of(recipe_);
    const std::vector<Leaf> after = leaves_of(*back.recipe);
    for (std::size_t at = 0; at < std::min(before.size(), after.size()); ++at) {
      compare(before[at], after[at]);
    }
    note_file_times(*back.recipe);
    note_order(*back.recipe);
  }

  // Reports a changed order of learning rates. SparseML orders rates with equal start and end by a hash of their
  // fields, so new numbers can change the order.
  void note_order(const ir::Recipe& back) {
    const auto [before, after] = std::pair{rates_of(recipe_), rates_of(back)};
    const auto ordinal = [](const ir::Origin* origin) { return origin->ordinal; };
    const auto [one, other] = std::ranges::mismatch(before, after, {}, ordinal, ordinal);
    if (one == before.end() || other == after.end()) {
      return;
    }
    out_.remarks.push_back({name_of(**one), (*one)->span,
                            fmt::format("it now acts after {}; both start and end together, and a hash of their fields "
                                        "decides the order",
                                        name_of(**other))});
  }

  static std::string name_of(const ir::Origin& origin) {
    return fmt::format("`{}#{}`", origin.class_name, origin.ordinal);
  }

  // Returns the actions that set learning rates, in the order in which they act.
  static std::vector<const ir::Origin*> rates_of(const ir::Recipe& recipe) {
    std::vector<const ir::Origin*> out;
    for (const ir::Action& action : recipe.actions) {
      if (ir::moves_learning_rate(action.effect)) out.push_back(&action.origin);
    }
    return out;
  }

  void compare(const Leaf& before, const Leaf& after) {
    const auto found = times_by_place_.find(before.value.span);
    const auto number = dialect::as_real(after.value);
    if (found == times_by_place_.end()) {
      if (!(before.value == after.value) && !both_nan(before.value, after.value)) {
        out_.remarks.push_back({before.label, before.value.span, "it depends on a rescaled value"});
      }
      return;
    }
    const Time& time = *found->second;
    note_change(time, number.value_or(time.number));
  }

  static bool both_nan(const Value& one, const Value& other) {
    const auto is_nan = [](const Value& value) { return std::isnan(value.number().value_or(0)); };
    return is_nan(one) && is_nan(other);
  }

  void note_change(const Time& time, double after) {
    constexpr double kRounding = 1e-12;
    const auto rounded = rounded_.find(time.value.span);
    const double wanted = rounded == rounded_.end() ? scaled(time) : rounded->second;
    if (!noted_.insert(time.value.span).second) {
      return;
    }
    if (std::abs(after - wanted) > kRounding * std::abs(wanted)) {
      remark(time, fmt::format("it became {} instead of {}", base::python_repr(after), base::python_repr(wanted)));
    }
    if (after != time.number) out_.changes.push_back({time.label, time.value.span, time.number, after});
  }

  // Records changes of times at the top level, outside all actions.
  void note_file_times(const ir::Recipe& back) {
    std::vector<Leaf> before;
    std::vector<Leaf> after;
    add_leaves(recipe_.metadata, {}, {}, before);
    add_leaves(back.metadata, {}, {}, after);
    for (std::size_t at = 0; at < std::min(before.size(), after.size()); ++at) {
      if (times_by_place_.contains(before[at].value.span)) compare(before[at], after[at]);
    }
  }

  const Compilation& compilation_;
  const ir::Recipe& recipe_;
  const Request& request_;
  Scalars scalars_;
  Times times_;
  std::map<Span, const Time*> times_by_place_;  // times that change
  std::map<Span, double> rounded_;              // times that are rounded to what people write
  std::set<Span> noted_;
  std::vector<format::Edit> edits_;
  Rescaled out_;
};

Rescaled rescale(const Compilation& compilation, const doc::Document& document, const dialect::Dialect& dialect,
                 const Request& request) {
  return Rescaler(compilation, document, dialect, request).run();
}

}  // namespace sparsecfg::rescale
