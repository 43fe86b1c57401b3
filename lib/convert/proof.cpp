#include "convert/proof.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/text.h"
#include "convert/masks.h"
#include "convert/parts.h"
#include "convert/weight_matcher.h"
#include "timeline/evaluator.h"

namespace sparsecfg::convert {

using timeline::Column;
using timeline::Evaluator;

// A mask with sparsity 0 is the same as no mask.
void Difference::add(const std::optional<double>& one, const std::optional<double>& other, std::uint64_t at) {
  double difference = 0;
  if (one && other) {
    difference = *one == *other ? 0 : std::abs(*one - *other);
  } else if (one.value_or(0) != 0 || other.value_or(0) != 0) {
    difference = std::numeric_limits<double>::infinity();
  }
  if (difference > max) {
    max = difference;
    step = at;
    limit = false;
  }
}

// Weights that the same targets of both recipes mask, or a target and its linked targets.
struct ComparedClass {
  std::vector<Masker> maskers;  // of the source recipe, without dropped actions
  std::vector<Masker> written;
  std::vector<std::uint32_t> weights;  // empty: compares a target, not weights
  std::optional<double> last{};        // sparsities at the last comparison of counts
  std::optional<double> last_written{};
};

class Comparer {
 public:
  Comparer(const ir::Recipe& recipe, const timeline::Run& run, const ir::Recipe& back, const timeline::Run& written_run,
           const dialect::WriteResult& written, const std::vector<model::Module>* modules)
      : recipe_(recipe),
        written_(back),
        statuses_(written.statuses),
        begin_(written.begin),
        steps_(run.steps()),
        one_(recipe, run),
        other_(back, written_run),
        masks_(recipe, one_),
        other_masks_(back, other_),
        weights_(weights_of(recipe, back, run, modules).all),
        matcher_(weights_) {
    out_.masks.resize(recipe.actions.size());
    pair_up();
    classify();
  }

  Comparison run() {
    if (out_.stopped) {
      return std::move(out_);
    }
    if (next() > 0) {
      compare_at(0);
    }
    timeline::WorkLimit limit(one_.work_per_change() + other_.work_per_change() + work_of_classes());
    for (std::uint64_t step = next(); step != timeline::kNever; step = next()) {
      if (!limit.take(one_.events().size() + other_.events().size())) {
        out_.stopped = step;
        break;
      }
      move(one_, masks_, step);
      if (step >= begin_) {
        move(other_, other_masks_, step - begin_);
      }
      compare_at(step);
    }
    compare_groups();
    return std::move(out_);
  }

 private:
  std::uint64_t next() const {
    const std::uint64_t other = other_.next_step();
    return std::min(one_.next_step(), other == timeline::kNever ? other : other + begin_);
  }

  static void move(Evaluator& evaluator, Masks& masks, std::uint64_t step) {
    if (evaluator.next_step() == step) {
      evaluator.advance();
      masks.follow();
    }
  }

  // Returns the cost of comparing one step, in examined numbers.
  std::uint64_t work_of_classes() const {
    std::uint64_t work = 0;
    for (const ComparedClass& each : classes_) work += work_per_step(each.maskers, each.written);
    return work;
  }

  bool is_dropped(std::size_t action) const {
    return statuses_[action].kind >= dialect::ActionStatus::Kind::not_converted;
  }

  // --- setup -----------------------------------------------------------------------------------------------

  using Place = std::pair<int, std::size_t>;  // ordinal of an action and index of its target

  // Returns the index of the first target of each converted action. Actions with the same ordinal share the numbering.
  std::vector<std::size_t> first_targets() const {
    std::map<int, std::size_t> counts;
    std::vector<std::size_t> out;
    for (const ir::Action& action : written_.actions) {
      const auto* prune = std::get_if<ir::Prune>(&action.effect);
      std::size_t& count = counts[action.origin.ordinal];
      out.push_back(count);
      count += prune == nullptr ? 0 : prune->targets.size();
    }
    return out;
  }

  void pair_up() {
    std::map<Place, const Column*> columns;  // of the converted recipe
    const std::vector<std::size_t> first = first_targets();
    for (const Column& column : other_.columns()) {
      const int ordinal = written_.actions[column.action].origin.ordinal;
      columns.emplace(Place{ordinal, first[column.action] + column.target}, &column);
    }
    for (const Column& column : one_.columns()) {
      if (!is_dropped(column.action)) classes_.push_back(pair_of(column, columns));
    }
    // A target that matches nothing lacks a column, but its linked target may have one.
    for (const dialect::ActionStatus& status : statuses_) {
      for (const dialect::Link& link : status.links) columns.erase({link.ordinal, link.into});
    }
    for (const auto& [place, column] : columns) out_.unknown_names.push_back(column->label);
  }

  static Masker masker_of(const Column& column) {
    return {static_cast<std::uint32_t>(column.action), static_cast<std::uint32_t>(column.target)};
  }

  ComparedClass pair_of(const Column& column, const std::map<Place, const Column*>& columns) const {
    ComparedClass pair{{masker_of(column)}, {}, {}};
    for (const dialect::Link& link : statuses_[column.action].links) {
      const auto found = columns.find({link.ordinal, link.into});
      if (link.target == column.target && found != columns.end()) {
        pair.written.push_back(masker_of(*found->second));
      }
    }
    return pair;
  }

  void classify() {
    std::vector<bool> dropped(recipe_.actions.size());
    for (std::size_t action = 0; action < dropped.size(); ++action) dropped[action] = is_dropped(action);
    auto classes = weight_classes(recipe_, written_, matcher_, dropped);
    if (!classes) {
      out_.stopped = 0;
      out_.too_many_weights = true;
      return;
    }
    for (WeightClass& each : *classes) {
      if (!each.one.empty()) classes_.push_back({std::move(each.one), std::move(each.other), std::move(each.weights)});
    }
  }

  // --- one step --------------------------------------------------------------------------------------------

  void compare_at(std::uint64_t step) {
    for (ComparedClass& each : classes_) {
      compare(each, step);
    }
    const auto& groups = one_.optimizer().groups();
    const auto& others = other_.optimizer().groups();
    for (std::size_t group = 0; step < steps_ && group < std::max(groups.size(), others.size()); ++group) {
      const auto& mine = groups[std::min(group, groups.size() - 1)];
      const auto& theirs = others[std::min(group, others.size() - 1)];
      out_.rate.add(mine.rate, theirs.rate, step);
      out_.weight_decay.add(mine.weight_decay, theirs.weight_decay, step);
    }
  }

  void compare(ComparedClass& each, std::uint64_t step) {
    const auto one = masks_.sparsity_of(each.maskers);
    const auto other = other_masks_.sparsity_of(each.written);
    const bool counts = one && other && (one != each.last || other != each.last_written);
    if (!each.weights.empty() && (!one || !other)) {
      note_unmeasured(each);
      return;
    }
    if (counts) {
      each.last = one;
      each.last_written = other;
      compare_counts(each, *one, *other, step);
    }
    const bool most_differ = one && other && !each.weights.empty() && recipe_.overlap != written_.overlap;
    for (const Masker& masker : each.maskers) {
      MaskComparison& out = out_.masks[masker.action];
      out.compared = true;
      const double before = out.difference.max;
      out.difference.add(one, other, step);
      if (most_differ) add_limit(out.difference, each, *one, *other, step);
      if (out.difference.max > before && !each.weights.empty()) {
        note_weight(out, each, masker);
      }
    }
  }

  // Adds the largest difference that is possible, where only one run keeps the masks of several pruners.
  void add_limit(Difference& difference, const ComparedClass& each, double one, double other, std::uint64_t step) {
    const double before = difference.max;
    difference.add(masks_.most_of(each.maskers), other, step);
    difference.add(one, other_masks_.most_of(each.written), step);
    difference.limit = difference.limit || difference.max > before;
  }

  // Records weights whose sparsity depends on their values. Such sparsities are only compared by their links.
  void note_unmeasured(const ComparedClass& each) {
    const bool several = each.maskers.size() > 1 || each.written.size() > 1;
    for (const Masker& masker : each.maskers) {
      if (several && recipe_.overlap != written_.overlap) {
        out_.masks[masker.action].unmeasured = true;
        note_weight(out_.masks[masker.action], each, masker);
      }
    }
  }

  void note_weight(MaskComparison& out, const ComparedClass& each, const Masker& masker) const {
    const auto sure = [](const Masker& one) { return one.certain; };
    out.certain = std::ranges::all_of(each.maskers, sure) && std::ranges::all_of(each.written, sure);
    const auto other =
        std::ranges::find_if(each.maskers, [&](const Masker& one) { return one.action != masker.action; });
    out.shared = other != each.maskers.end() || each.written.size() > 1 ? weights_[each.weights.front()].name : "";
    out.other = other != each.maskers.end() ? other->action : masker.action;
  }

  void compare_counts(const ComparedClass& each, double one, double other, std::uint64_t step) {
    const auto* prune = std::get_if<ir::Prune>(&recipe_.actions[each.maskers.front().action].effect);
    const auto* written =
        each.written.empty() ? nullptr : std::get_if<ir::Prune>(&written_.actions[each.written.front().action].effect);
    if (prune == nullptr || written == nullptr || prune->structure.kind == ir::Structure::Kind::unstructured ||
        prune->structure.kind != written->structure.kind || prune->global) {
      return;
    }
    for (const std::size_t weight : each.weights) {
      const auto units = units_of(prune->structure, weights_[weight].shape);
      if (!units) continue;
      const CountDifference count{weights_[weight].name, step, removed_of(one, *units, recipe_.rounding),
                                  removed_of(other, *units, written_.rounding), *units};
      for (const Masker& masker : each.maskers) {
        note_count(out_.masks[masker.action].count, count);
        out_.masks[masker.action].counted.add(fraction_of(count.removed, *units), fraction_of(count.written, *units),
                                              step);
      }
    }
  }

  static double fraction_of(std::uint64_t removed, std::uint64_t units) {
    return units == 0 ? 0 : static_cast<double>(removed) / static_cast<double>(units);
  }

  // Keeps the first difference, unless a later one removes a whole weight.
  static void note_count(CountDifference& noted, const CountDifference& count) {
    const bool worse = noted.weight.empty() || (count.empties() && !noted.empties());
    if (count.removed != count.written && worse) {
      noted = count;
    }
  }

  // --- ranked groups ---------------------------------------------------------------------------------------

  void compare_groups() {
    for (const GroupDifference& each : different_groups(recipe_, written_, matcher_)) {
      if (!is_dropped(each.action)) out_.masks[each.action].apart = each.weights;
    }
  }

  const ir::Recipe& recipe_;
  const ir::Recipe& written_;
  const std::vector<dialect::ActionStatus>& statuses_;
  std::uint64_t begin_;
  std::uint64_t steps_;
  Evaluator one_;
  Evaluator other_;
  Masks masks_;
  Masks other_masks_;
  std::vector<Weight> weights_;
  WeightMatcher matcher_;
  std::vector<ComparedClass> classes_;
  Comparison out_;
};

Comparison compare(const ir::Recipe& recipe, const timeline::Run& run, const ir::Recipe& back,
                   const timeline::Run& written_run, const dialect::WriteResult& written,
                   const std::vector<model::Module>* modules) {
  return Comparer(recipe, run, back, written_run, written, modules).run();
}

using ir::Action;

static std::vector<const Action*> in_document_order(const ir::Recipe& recipe, const std::vector<bool>& dropped) {
  std::vector<const Action*> actions;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    if (!dropped[at]) actions.push_back(&recipe.actions[at]);
  }
  std::ranges::stable_sort(actions, {}, [](const Action* action) { return action->origin.ordinal; });
  return actions;
}

static bool is_equal_action(const Action& before, const Action& after) {
  const bool nan = before.effect != ir::Effect(before.effect);  // NaN differs even from itself
  return (nan || before.effect == after.effect) && before.cadence == after.cadence;
}

std::optional<Fault> first_difference(const ir::Recipe& recipe, const std::vector<dialect::ActionStatus>& statuses,
                                      const ir::Recipe& back) {
  std::vector<bool> dropped(recipe.actions.size(), false);
  for (const dialect::ActionStatus& status : statuses) {
    dropped[status.action] = status.kind == dialect::ActionStatus::Kind::dropped;
  }
  const auto before = in_document_order(recipe, dropped);
  const auto after = in_document_order(back, std::vector<bool>(back.actions.size(), false));
  if (before.size() != after.size()) {
    return Fault{Fault::Kind::differs, fmt::format("{} actions became {}", before.size(), after.size())};
  }
  for (std::size_t at = 0; at < before.size(); ++at) {
    if (is_equal_action(*before[at], *after[at])) continue;
    return Fault{Fault::Kind::differs, "it has another effect or schedule",
                 static_cast<std::size_t>(before[at] - recipe.actions.data())};
  }
  return std::nullopt;
}

}  // namespace sparsecfg::convert
