#include "diff/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "compile/same_code.h"
#include "compile/unknown_reason.h"
#include "dialect/dialect.h"
#include "diff/actions.h"
#include "diff/calls.h"
#include "diff/deciding.h"
#include "diff/outcomes.h"
#include "ir/describe.h"
#include "outcome/outcome.h"
#include "source/path.h"

namespace sparsecfg::diff {

using ir::Action;
using ir::Recipe;

std::string_view to_string(Change::Kind kind) {
  static constexpr std::string_view kNames[] = {"length",       "sparsity", "learning_rate",
                                                "weight_decay", "action",   "call"};
  return kNames[static_cast<std::size_t>(kind)];
}

// --- length -----------------------------------------------------------------------------------------

// Returns the last epoch of any action, or 0 if it is unknown.
static double last_epoch_of(const Recipe& recipe, std::size_t steps_per_epoch) {
  double last = 0;
  for (const Action& action : recipe.actions) {
    for (const double epoch : {action.cadence.start.value, action.cadence.end.value}) {
      if (std::isfinite(epoch)) last = std::max(last, epoch);
    }
    if (const auto* counted = action.cadence.counted()) {
      const auto end = static_cast<double>(counted->last());
      const double epochs = counted->in_epochs ? end : end / static_cast<double>(steps_per_epoch);
      if (end < ir::kMaxEpochs) last = std::max(last, epochs);  // else the action never acts
    }
  }
  return last;
}

static std::optional<double> length_of(const Recipe& recipe) {
  return recipe.length ? std::optional(recipe.length->epochs) : std::nullopt;
}

// Returns the steps per epoch that a user or a recipe states; nullopt if a number is assumed.
static std::optional<std::size_t> stated_steps(const Recipe& before, const Recipe& after, const Request& request) {
  const auto own = before.steps_per_epoch ? before.steps_per_epoch : after.steps_per_epoch;
  return request.steps_per_epoch ? request.steps_per_epoch : own;
}

// Another number of steps per epoch, at which recipes are also compared if the number is assumed. It is prime, so that
// times which fall on the same step of a short epoch differ.
constexpr std::size_t kOtherStepsPerEpoch = 997;

// --- evaluated actions ------------------------------------------------------------------------------

// Returns true if the action's effect is compared step by step: rates, weight decay, masks of pruners, training length.
static bool is_followed(const Action& action) {
  return ir::moves_learning_rate(action.effect) || std::holds_alternative<ir::Prune>(action.effect) ||
         std::holds_alternative<ir::SetWeightDecay>(action.effect) ||
         std::holds_alternative<ir::EpochScheduler>(action.effect) ||
         std::holds_alternative<ir::EpochRange>(action.effect);
}

static bool sets_rates(const Action& action) { return ir::moves_learning_rate(action.effect); }

// Returns true if the effect of an action may change after the last epoch that the recipe names.
static bool is_endless(const Action& action) {
  return is_followed(action) && !action.cadence.ends() && action.cadence.counted() == nullptr;
}

// --- the comparison ---------------------------------------------------------------------------------

class Comparer {
 public:
  Comparer(const Compilation& before, const Compilation& after, const Request& request)
      : before_(*before.recipe), after_(*after.recipe), request_(request) {
    out_.same_text = before.file->text() == after.file->text() && before.file->others() == after.file->others();
    same_code_ = is_same_code(*before.file, *after.file);
    known_fields_ = std::ranges::none_of(before.recipes, &ir::FoundRecipe::has_computed_parts) &&
                    std::ranges::none_of(after.recipes, &ir::FoundRecipe::has_computed_parts);
    out_.model = request.parameters != nullptr || request.module_list != nullptr;
  }

  Difference run() {
    // A JSON schedule has no outcome, so its actions are compared as written.
    if (outcome::has_outcome(before_) && outcome::has_outcome(after_)) {
      compare_outcomes(before_, after_, request_, out_);
    }
    compare_lengths();
    find_runs();
    if (out_.run) compare_runs();
    add(different_actions(before_, after_, [&](const Action& action) {
      return is_written(action) && !(out_.run && is_followed(action));
    }));
    add_unmodelled();
    check_completeness();
    check_proof();
    if (has_equal_fields()) out_.not_compared.clear();
    return std::move(out_);
  }

 private:
  // Returns true if the fields that decide the values are equal, so that the values are equal even if they are unknown.
  [[nodiscard]] bool has_equal_fields() const {
    return out_.changes.empty() && (same_code_ || (known_fields_ && have_same_actions(before_, after_)));
  }

  // Returns true if an action is not compared by its outcome.
  bool is_written(const Action& action) const { return !out_.outcomes || action.operations.empty(); }

  // Compares the lengths in the recipes. A length on the command line applies to both.
  void compare_lengths() {
    const auto one = length_of(before_);
    const auto other = length_of(after_);
    if (!before_.trains || !after_.trains) return;
    if (!one && !other) return compare_lengths_in_steps();
    if (one == other) return;
    const auto text = [](const std::optional<double>& epochs) {
      return epochs ? base::python_repr(*epochs) + " epochs" : std::string("not set");
    };
    Change change;
    change.kind = Change::Kind::length;
    change.what = "training length";
    change.details = {fmt::format("{} -> {}", text(one), text(other))};
    out_.changes.push_back(std::move(change));
  }

  // Compares lengths in steps, which are no number of epochs while the steps per epoch are unknown.
  void compare_lengths_in_steps() {
    const dialect::Dialect* dialect = dialect::find_dialect(before_.dialect);
    if (before_.dialect != after_.dialect || dialect == nullptr || dialect->times == nullptr) return;
    for (const dialect::TimedField& field : dialect->times(ir::Origin{})) {
      const std::string change = setting_change(field.key, setting_of(before_, field), setting_of(after_, field));
      if (!change.empty()) out_.changes.push_back({Change::Kind::length, "training length", {}, {}, {}, {change}, {}});
    }
  }

  static const source::Value* setting_of(const Recipe& recipe, const dialect::TimedField& field) {
    const source::Value* settings = recipe.metadata.find(field.field);
    return settings == nullptr ? nullptr : source::value_at(*settings, field.key);
  }

  void find_runs() {
    if (!before_.has_timeline() || !after_.has_timeline()) {
      return note_written("the recipes have no steps, so their actions were compared as written");
    }
    make_runs(stated_steps(before_, after_, request_).value_or(timeline::kAssumedStepsPerEpoch));
    if (std::max(out_.run->steps(), out_.other_run->steps()) == 0) {
      out_.run = std::nullopt;
      note_written("the training length is unknown, so the actions were compared as written");
    }
  }

  // Adds a note about actions that are neither compared by steps nor by their outcome, if there are any.
  void note_written(std::string note) {
    const auto written = [&](const Recipe& recipe) {
      return std::ranges::any_of(recipe.actions, [&](const Action& action) { return is_written(action); });
    };
    if (written(before_) || written(after_)) out_.notes.push_back(std::move(note));
  }

  void make_runs(std::size_t steps) {
    const double last = std::max(last_epoch_of(before_, steps), last_epoch_of(after_, steps));
    const auto epochs = [&](const Recipe& recipe, const Recipe& other) {
      const auto own = length_of(recipe) ? length_of(recipe) : length_of(other);
      return request_.epochs.value_or(own.value_or(last));
    };
    const auto make = [&](const Recipe& recipe, double length) {
      return timeline::Run{steps, length, recipe.has_rates ? request_.initial_rate : std::nullopt, request_.parameters,
                           request_.modules};
    };
    out_.run = make(before_, epochs(before_, after_));
    out_.other_run = make(after_, epochs(after_, before_));
  }

  // If the number of steps is assumed, the recipes are the same only if they are for another number, too.
  void compare_runs() {
    compare_steps();
    const auto different = [&] { return !out_.changes.empty() || !out_.not_compared.empty() || !out_.run; };
    if (different() || stated_steps(before_, after_, request_) || have_same_actions(before_, after_)) return;
    Difference assumed = out_;
    make_runs(kOtherStepsPerEpoch);
    compare_steps();
    if (out_.changes.empty() && out_.not_compared.empty()) out_ = std::move(assumed);
  }

  void compare_steps() {
    StepComparison steps = compare_timelines(before_, *out_.run, after_, *out_.other_run, request_.module_list);
    out_.stopped = steps.stopped;
    out_.weights = steps.weights;
    out_.all_patterns = steps.all_patterns;
    if (steps.too_many_weights) {
      out_.run = std::nullopt;
      out_.notes.emplace_back(
          "too many weights are masked in too many ways, so the actions were compared as written; pass fewer names "
          "with "
          "`--params` or `--modules` to compare steps");
      return;
    }
    if (!out_.all_patterns) {
      out_.notes.emplace_back(
          "some patterns could not be compared; pass `--params NAMES` to compare them on the names of a model");
    }
    for (Masked& masked : steps.masked) {
      add(std::move(masked));
    }
    compare_rates(steps);
    add(Change::Kind::weight_decay, "weight decay", steps.weight_decay,
        [](const Action& action) { return std::holds_alternative<ir::SetWeightDecay>(action.effect); });
    if (!request_.epochs && !length_of(before_) && !length_of(after_) && out_.changes.empty()) compare_later(steps);
  }

  void compare_rates(const StepComparison& steps) {
    const auto rates = actions_with(before_, sets_rates);
    const auto other_rates = actions_with(after_, sets_rates);
    if (before_.has_rates != after_.has_rates) {
      if (rates.empty() && other_rates.empty()) return;
      out_.notes.emplace_back("one recipe has no learning rates, so learning rates were not compared");
    } else if (steps.rate) {
      add(Change::Kind::learning_rate, "learning rate", steps.rate, sets_rates);
    } else if (steps.unknown_rate && (!rates.empty() || !other_rates.empty())) {
      compare_unknown_rates(rates, other_rates);
    }
  }

  // Without an initial rate, rates are functions of it. They are compared for two values, and by fields if they depend
  // on more.
  void compare_unknown_rates(const std::vector<std::size_t>& rates, const std::vector<std::size_t>& other_rates) {
    constexpr double kAssumedRates[] = {0.1, 0.03};
    if (compare_deciding(before_, rates, after_, other_rates).same) return;
    bool unknown = request_.initial_rate.has_value();
    for (const double rate : kAssumedRates) {
      if (unknown) break;
      const StepComparison steps = compare_timelines(before_, with_rate(*out_.run, rate), after_,
                                                     with_rate(*out_.other_run, rate), request_.module_list);
      if (steps.rate) {
        out_.notes.push_back(fmt::format(
            "learning rates were compared for an initial rate of {}; pass that of your training with `--initial-lr`",
            rate));
        return add(Change::Kind::learning_rate, "learning rate", steps.rate, sets_rates);
      }
      unknown = steps.unknown_rate || steps.stopped;
    }
    if (!unknown) return;
    decide(Change::Kind::learning_rate, "learning rate", rates, other_rates, {},
           "the learning rate is not known, and the actions that set it differ");
  }

  static timeline::Run with_rate(timeline::Run run, double rate) {
    run.initial_rate = rate;
    return run;
  }

  // Compares actions that act after the compared steps: they have no end, or did not act yet.
  void compare_later(const StepComparison& steps) {
    const auto later = [](const Recipe& recipe, const std::vector<bool>& acted) {
      std::vector<std::size_t> out;
      for (std::size_t at = 0; at < acted.size(); ++at) {
        const Action& action = recipe.actions[at];
        if (is_endless(action) || (is_followed(action) && !acted[at])) out.push_back(at);
      }
      return out;
    };
    decide(Change::Kind::action, "actions after the compared steps", later(before_, steps.acted),
           later(after_, steps.other_acted), {},
           "the training length is not known, and actions without an end differ; pass `--epochs`");
  }

  // Compares a part whose values are not known by the actions that decide it.
  void decide(Change::Kind kind, std::string what, const std::vector<std::size_t>& one,
              const std::vector<std::size_t>& other, std::vector<std::string> weights, std::string_view reason) {
    Deciding deciding = compare_deciding(before_, one, after_, other);
    if (deciding.same) return;
    if (deciding.changed.empty()) {
      not_compared(std::string(reason));
    } else {
      out_.changes.push_back({kind, std::move(what), one, other, {}, std::move(deciding.changed), std::move(weights)});
    }
  }

  void not_compared(std::string reason) {
    if (std::ranges::find(out_.not_compared, reason) == out_.not_compared.end()) {
      out_.not_compared.push_back(std::move(reason));
    }
  }

  void add(Change::Kind kind, std::string what, const std::optional<Divergence>& divergence, auto test) {
    if (!divergence) {
      return;
    }
    Change change{kind, std::move(what), actions_with(before_, test), actions_with(after_, test), divergence, {}, {}};
    change.details = field_changes(change.before, change.after);
    out_.changes.push_back(std::move(change));
  }

  // Returns the changed fields. Empty if the numbers of actions differ.
  std::vector<std::string> field_changes(const std::vector<std::size_t>& one,
                                         const std::vector<std::size_t>& other) const {
    std::vector<std::string> out;
    for (std::size_t at = 0; one.size() == other.size() && at < one.size(); ++at) {
      const Action& action = before_.actions[one[at]];
      for (const std::string& change : different_fields(before_, action, after_, after_.actions[other[at]])) {
        out.push_back(one.size() == 1 ? change : fmt::format("{}: {}", ir::printable_name(action.origin), change));
      }
    }
    return out;
  }

  // --- masks ----------------------------------------------------------------------------------------

  const ir::Prune* pruner(const Recipe& recipe, const std::vector<std::size_t>& actions) const {
    return actions.empty() ? nullptr : std::get_if<ir::Prune>(&recipe.actions[actions.front()].effect);
  }

  // Returns differences of the pruners of both recipes other than their sparsity.
  std::vector<std::string> choices(const Masked& masked) const {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < std::min(masked.before.size(), masked.after.size()); ++at) {
      const auto* one = std::get_if<ir::Prune>(&before_.actions[masked.before[at]].effect);
      const auto* other = std::get_if<ir::Prune>(&after_.actions[masked.after[at]].effect);
      if (one == nullptr || other == nullptr) continue;
      std::ranges::move(different_choices(*one, *other), std::back_inserter(out));
    }
    return out;
  }

  void add(Masked masked) {
    if (pruner(before_, masked.before) == nullptr && pruner(after_, masked.after) == nullptr) {
      return;  // thresholds and held masks are compared as written
    }
    if (!masked.unmeasured) measured_.insert(masked.before.begin(), masked.before.end());
    Change change{Change::Kind::sparsity, {}, masked.before, masked.after, masked.divergence, choices(masked), {}};
    const bool shows = change.divergence || !change.details.empty();
    const std::string what = "sparsity of " + weights_text(masked);
    if (!shows && masked.unmeasured) {
      return decide(Change::Kind::sparsity, what, masked.before, masked.after, std::move(masked.weights),
                    "the " + what + " depends on the weights, and the actions that prune them differ");
    }
    if (!shows) return;
    std::ranges::move(field_changes(masked.before, masked.after), std::back_inserter(change.details));
    change.what = what;
    change.weights = std::move(masked.weights);
    out_.changes.push_back(std::move(change));
  }

  // Returns "`a.weight` and 3 more weights". Without a model it returns the selectors and one example name.
  std::string weights_text(const Masked& masked) const {
    const std::string first = fmt::format("`{}`", base::printable(masked.weights.front()));
    const std::size_t more = masked.weights.size() - 1;
    const std::string selected = out_.model ? "" : selected_by_all(masked);
    if (!selected.empty()) {
      return selected == first ? first : fmt::format("{} (such as {})", selected, first);
    }
    return more == 0 ? first : fmt::format("{} and {}", first, base::counted(more, "more weight"));
  }

  std::string selected_by_all(const Masked& masked) const {
    const bool earlier = !masked.before.empty();
    std::vector<std::string> texts;
    for (const std::size_t action : earlier ? masked.before : masked.after) {
      texts.push_back(ir::first_terms((earlier ? before_ : after_).actions[action]));
    }
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return base::join_and(texts);
  }

  // --- other actions --------------------------------------------------------------------------------

  void add(std::vector<Pair> pairs) {
    for (Pair& pair : pairs) {
      const Action& action = pair.before ? before_.actions[*pair.before] : after_.actions[*pair.after];
      const std::string_view side = !pair.after ? " was removed" : !pair.before ? " was added" : "";
      const std::string name = ir::printable_name(action.origin);
      if (!pair.comparable) {
        not_compared(fmt::format("`{}` can't be compared with an action of another framework", name));
        continue;
      }
      Change change;
      change.what = name + std::string(side);
      if (pair.before) change.before = {*pair.before};
      if (pair.after) change.after = {*pair.after};
      change.details = std::move(pair.details);
      out_.changes.push_back(std::move(change));
    }
  }

  // Adds fields that differ although the schedules of two actions are equal, so that no step shows the difference.
  void add_unmodelled() {
    if (before_.dialect != after_.dialect) return;
    for (std::size_t at = 0; at < before_.actions.size(); ++at) {
      const Action& action = before_.actions[at];
      const auto found = std::ranges::find_if(after_.actions, [&](const Action& other) {
        return other.origin.class_name == action.origin.class_name && other.origin.ordinal == action.origin.ordinal &&
               other.origin.stage == action.origin.stage;
      });
      const auto now = static_cast<std::size_t>(found - after_.actions.begin());
      if (found == after_.actions.end() || !is_followed(action) || is_named(at, now)) continue;
      std::vector<std::string> fields = unmodelled_fields(action, *found);
      const bool unmeasured = std::holds_alternative<ir::Prune>(action.effect) && !measured_.contains(at);
      if (fields.empty() && unmeasured) fields = field_changes({at}, {now});
      if (fields.empty()) continue;
      out_.changes.push_back(
          {Change::Kind::action, ir::printable_name(action.origin), {at}, {now}, {}, std::move(fields), {}});
    }
  }

  // Returns true if a change concerns both actions.
  [[nodiscard]] bool is_named(std::size_t one, std::size_t other) const {
    return std::ranges::any_of(out_.changes, [&](const Change& change) {
      return std::ranges::find(change.before, one) != change.before.end() &&
             std::ranges::find(change.after, other) != change.after.end();
    });
  }

  // Returns true if equal rules prove equal outcomes without a model: the language of each list can state examples, and
  // each action states its rules or its fields.
  static bool is_stated(const ir::Recipe& recipe) {
    const auto has_examples = [](const ir::Operation& operation) {
      const ir::Language* language = ir::selection_of(operation).language;
      return language != nullptr && language->examples != nullptr;
    };
    const auto states = [&](const Action& action) {
      const bool empty = action.operations.empty() && action.origin.fields.empty();
      return !empty && std::ranges::all_of(action.operations, has_examples);
    };
    return recipe.trains || (!recipe.actions.empty() && std::ranges::all_of(recipe.actions, states));
  }

  void check_proof() {
    const bool by_layer = request_.module_list != nullptr || !before_.units.empty();
    if (by_layer || !out_.changes.empty() || !out_.not_compared.empty()) return;
    if (is_stated(before_) && is_stated(after_)) return;
    not_compared("the layers of these files follow only from a model; pass `--model`");
  }

  // A comparison that stopped early, or that skipped patterns, proves nothing unless all actions are equal.
  void check_completeness() {
    if (!out_.changes.empty() || out_.complete() || have_same_actions(before_, after_)) return;
    if (out_.stopped) {
      not_compared(fmt::format("the schedules change too often to compare them after step {}", *out_.stopped));
    } else {
      not_compared("some patterns could not be compared; pass `--params NAMES`");
    }
  }

  const Recipe& before_;
  const Recipe& after_;
  const Request& request_;
  bool same_code_ = false;          // true if at most comments differ
  bool known_fields_ = true;        // false: code computes a part that is unknown
  std::set<std::size_t> measured_;  // pruners of the first recipe whose sparsity is known at some step
  Difference out_;
};

// Adds the first value of a script that is not known, and its reason.
static bool explain_unknown(const Compilation& compilation, Difference& out) {
  const auto found = std::ranges::find(compilation.diagnostics, &diag::value_not_checked.info, &diag::Diagnostic::info);
  if (found == compilation.diagnostics.end()) return false;
  out.not_compared.push_back(fmt::format("the value in line {} of {} is not known: {}",
                                         compilation.file->position(found->span.begin).line, compilation.file->title(),
                                         unknown_reason(*found)));
  return true;
}

Difference compare(const Compilation& before, const Compilation& after, const Request& request) {
  Difference out = Comparer(before, after, request).run();
  compare_calls(before, after, out);
  if (!out.not_compared.empty() && !explain_unknown(after, out)) explain_unknown(before, out);
  return out;
}

}  // namespace sparsecfg::diff
