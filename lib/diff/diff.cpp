#include "diff/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/number.h"
#include "base/text.h"
#include "convert/layer_schemes.h"
#include "diff/actions.h"
#include "ir/describe.h"

namespace sparsecfg::diff {

using ir::Action;
using ir::Recipe;

std::string_view to_string(Change::Kind kind) {
  static constexpr std::string_view kNames[] = {"length", "sparsity", "learning_rate", "weight_decay", "action"};
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
      last = std::max(last, counted->in_epochs ? end : end / static_cast<double>(steps_per_epoch));
    }
  }
  return last;
}

static std::optional<double> length_of(const Recipe& recipe) {
  return recipe.length ? std::optional(recipe.length->epochs) : std::nullopt;
}

static std::size_t steps_of(const Recipe& before, const Recipe& after, const Request& request) {
  const auto own = before.steps_per_epoch ? before.steps_per_epoch : after.steps_per_epoch;
  return request.steps_per_epoch.value_or(own.value_or(timeline::kAssumedStepsPerEpoch));
}

// --- evaluated actions ------------------------------------------------------------------------------

// Returns true if the action's effect is compared step by step: rates, weight decay, masks of pruners, training length.
static bool is_followed(const Action& action) {
  return ir::moves_learning_rate(action.effect) || std::holds_alternative<ir::Prune>(action.effect) ||
         std::holds_alternative<ir::SetWeightDecay>(action.effect) ||
         std::holds_alternative<ir::EpochScheduler>(action.effect) ||
         std::holds_alternative<ir::EpochRange>(action.effect);
}

static bool is_not_followed(const Action& action) { return !is_followed(action); }

static bool is_any(const Action&) { return true; }

// --- the comparison ---------------------------------------------------------------------------------

class Comparer {
 public:
  Comparer(const Compilation& before, const Compilation& after, const Request& request)
      : before_(*before.recipe), after_(*after.recipe), request_(request) {
    out_.same_text = before.file->text() == after.file->text();
    out_.model = request.parameters != nullptr || request.module_list != nullptr;
  }

  Difference run() {
    if (before_.dialect != after_.dialect && convert::has_layer_schemes(before_) &&
        convert::has_layer_schemes(after_)) {
      compare_layers();
      return std::move(out_);
    }
    compare_lengths();
    find_runs();
    if (out_.run) {
      compare_steps();
    }
    add(different_actions(before_, after_, out_.run ? is_not_followed : is_any));
    return std::move(out_);
  }

 private:
  // Compares the lengths in the recipes. A length on the command line applies to both.
  void compare_lengths() {
    const auto one = length_of(before_);
    const auto other = length_of(after_);
    if (one == other || !before_.trains || !after_.trains) {
      return;
    }
    const auto text = [](const std::optional<double>& epochs) {
      return epochs ? base::python_repr(*epochs) + " epochs" : std::string("not set");
    };
    Change change;
    change.kind = Change::Kind::length;
    change.what = "training length";
    change.details = {fmt::format("{} -> {}", text(one), text(other))};
    out_.changes.push_back(std::move(change));
  }

  void find_runs() {
    if (!before_.has_timeline() || !after_.has_timeline()) {
      out_.notes.emplace_back("the recipes have no steps, so their actions were compared as written");
      return;
    }
    const std::size_t steps = steps_of(before_, after_, request_);
    const double last = std::max(last_epoch_of(before_, steps), last_epoch_of(after_, steps));
    const auto epochs = [&](const Recipe& recipe, const Recipe& other) {
      const auto own = length_of(recipe) ? length_of(recipe) : length_of(other);
      return request_.epochs.value_or(own.value_or(last));
    };
    const auto make = [&](const Recipe& recipe, double length) {
      return timeline::Run{steps, length, recipe.has_rates ? request_.initial_rate : std::nullopt, request_.parameters,
                           request_.modules};
    };
    const timeline::Run run = make(before_, epochs(before_, after_));
    const timeline::Run other_run = make(after_, epochs(after_, before_));
    if (std::max(run.steps(), other_run.steps()) == 0) {
      out_.notes.emplace_back("the training length is unknown, so the actions were compared as written");
      return;
    }
    out_.run = run;
    out_.other_run = other_run;
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
    if (before_.has_rates && after_.has_rates) {
      add(Change::Kind::learning_rate, "learning rate", steps.rate,
          [](const Action& action) { return ir::moves_learning_rate(action.effect); });
    } else if (before_.has_rates != after_.has_rates) {
      out_.notes.emplace_back("one recipe has no learning rates, so learning rates were not compared");
    }
    add(Change::Kind::weight_decay, "weight decay", steps.weight_decay,
        [](const Action& action) { return std::holds_alternative<ir::SetWeightDecay>(action.effect); });
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

  // Returns differences of two pruners other than their sparsity.
  static std::vector<std::string> unlike(const Masked& masked, const ir::Prune* one, const ir::Prune* other) {
    if (one == nullptr || other == nullptr) {
      return masked.unmeasured
                 ? std::vector<std::string>{"only one recipe prunes these weights; the sparsity depends on the weights"}
                 : std::vector<std::string>();
    }
    std::vector<std::string> out = different_choices(*one, *other);
    if (masked.unmeasured && !(one->curve == other->curve)) {
      out.emplace_back("the schedules differ; the sparsities depend on the weights");
    }
    return out;
  }

  // Returns different fields that the schedule does not model, if each side has one action.
  std::vector<std::string> unmodelled(const Masked& masked) const {
    return masked.before.size() == 1 && masked.after.size() == 1 && before_.dialect == after_.dialect
               ? unmodelled_fields(before_.actions[masked.before.front()], after_.actions[masked.after.front()])
               : std::vector<std::string>();
  }

  void add(Masked masked) {
    const ir::Prune* one = pruner(before_, masked.before);
    const ir::Prune* other = pruner(after_, masked.after);
    if (one == nullptr && other == nullptr) {
      return;  // thresholds and held masks are compared as written
    }
    Change change{Change::Kind::sparsity,     {}, masked.before, masked.after, masked.divergence,
                  unlike(masked, one, other), {}};
    const bool shows = change.divergence || !change.details.empty();
    std::ranges::move(shows ? field_changes(masked.before, masked.after) : unmodelled(masked),
                      std::back_inserter(change.details));
    if (!change.divergence && change.details.empty()) {
      return;
    }
    change.what = "sparsity of " + weights_text(masked);
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
    return base::join_and(texts);
  }

  // --- schemes of layers ----------------------------------------------------------------------------

  // Compares a recipe with the file of the model that it has quantized.
  void compare_layers() {
    std::map<std::string, std::pair<std::string, std::string>> schemes;
    for (const auto& [name, scheme] : convert::layer_schemes(before_, request_.module_list))
      schemes[name].first = scheme;
    for (const auto& [name, scheme] : convert::layer_schemes(after_, request_.module_list))
      schemes[name].second = scheme;
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> changed;
    for (const auto& [name, both] : schemes) {
      if (both.first != both.second) changed[both].push_back(name);
    }
    for (auto& [both, names] : changed) {
      const auto text = [](const std::string& scheme) { return scheme.empty() ? std::string("none") : scheme; };
      Change change;
      change.what = fmt::format("scheme of `{}`", base::printable(names.front()));
      if (names.size() > 1) change.what += fmt::format(" and {}", base::counted(names.size() - 1, "more layer"));
      change.details = {fmt::format("{} -> {}", text(both.first), text(both.second))};
      out_.changes.push_back(std::move(change));
    }
    if (request_.module_list == nullptr) {
      out_.notes.emplace_back("targets were compared as written; pass `--modules` to compare layers");
    }
  }

  // --- other actions --------------------------------------------------------------------------------

  void add(std::vector<Pair> pairs) {
    for (Pair& pair : pairs) {
      const Action& action = pair.before ? before_.actions[*pair.before] : after_.actions[*pair.after];
      const std::string_view side = !pair.after ? " was removed" : !pair.before ? " was added" : "";
      Change change;
      change.what = ir::printable_name(action.origin) + std::string(side);
      if (pair.before) change.before = {*pair.before};
      if (pair.after) change.after = {*pair.after};
      change.details = std::move(pair.details);
      if (pair.before && pair.after) add_schemes(change, before_.actions[*pair.before], after_.actions[*pair.after]);
      out_.changes.push_back(std::move(change));
    }
  }

  // Adds the changes of schemes, which replace the raw values of `config_groups`.
  void add_schemes(Change& change, const Action& one, const Action& other) const {
    std::vector<std::string> lines = convert::scheme_changes(before_, one, after_, other, request_.module_list);
    if (lines.empty()) return;
    std::erase_if(change.details, [](const std::string& detail) { return detail.starts_with("`config_groups`: "); });
    change.details.insert(change.details.begin(), std::make_move_iterator(lines.begin()),
                          std::make_move_iterator(lines.end()));
  }

  const Recipe& before_;
  const Recipe& after_;
  const Request& request_;
  Difference out_;
};

Difference compare(const Compilation& before, const Compilation& after, const Request& request) {
  return Comparer(before, after, request).run();
}

}  // namespace sparsecfg::diff
