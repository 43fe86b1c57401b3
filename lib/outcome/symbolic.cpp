#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "outcome/difference.h"
#include "outcome/words.h"

// The comparison without a model: operations are paired, and their rules are compared by text.
namespace sparsecfg::outcome {

using ir::Operation;
using ir::Rule;

namespace {

// An operation with its place.
struct Placed {
  const Operation* operation;
  std::uint32_t action;
};

// A rule with its scheme, which other recipes may number differently.
struct Meaning {
  Rule::Kind kind;
  ir::Scheme scheme;  // of Assign
  bool unknown;
  friend bool operator==(const Meaning&, const Meaning&) = default;
};

std::vector<Placed> operations_of(const ir::Recipe& recipe) {
  std::vector<Placed> out;
  for (std::uint32_t action = 0; action < recipe.actions.size(); ++action) {
    for (const Operation& operation : recipe.actions[action].operations) out.push_back({&operation, action});
  }
  return out;
}

ir::Scheme scheme_of(const Operation& operation, std::uint32_t scheme) {
  const auto* assign = std::get_if<ir::Assign>(&operation);
  return assign != nullptr && scheme < assign->schemes.size() ? assign->schemes[scheme] : ir::Scheme();
}

// Returns the scheme of modules that no rule matches.
ir::Scheme default_of(const Operation& operation) {
  const auto& otherwise = ir::selection_of(operation).otherwise;
  return otherwise ? scheme_of(operation, *otherwise) : ir::Scheme();
}

Meaning meaning_of(const Operation& operation, const Rule& rule) {
  return {rule.kind, rule.kind == Rule::Kind::assigns ? scheme_of(operation, rule.scheme) : ir::Scheme(), rule.unknown};
}

// Returns the rules without repetitions, sorted if their order has no effect.
std::vector<const Rule*> rules_of(const Operation& operation) {
  const ir::Selection& selection = ir::selection_of(operation);
  std::vector<const Rule*> out;
  for (const Rule& rule : selection.rules) out.push_back(&rule);
  if (selection.language != nullptr && !selection.language->order_matters) {
    std::ranges::stable_sort(out, {},
                             [](const Rule* rule) { return std::pair(rule->kind, std::string_view(rule->entry)); });
    const auto repeats = std::ranges::unique(
        out, [](const Rule* a, const Rule* b) { return a->entry == b->entry && a->kind == b->kind; });
    out.erase(repeats.begin(), repeats.end());
  }
  return out;
}

// Returns the properties of an operation other than its rules and its method.
std::string properties_of(const Operation& operation) {
  if (const auto* prune = std::get_if<ir::PruneOnce>(&operation)) return "pruned to " + pruned_amount(*prune);
  if (const auto* cache = std::get_if<ir::CacheScheme>(&operation)) return "cache " + cache_text(*cache);
  return {};
}

class SymbolicComparison {
 public:
  SymbolicComparison(const ir::Recipe& before, const ir::Recipe& after)
      : before_(before), after_(after), one_(operations_of(before)), other_(operations_of(after)) {}

  Difference run() {
    pair([](const Operation& a, const Operation& b) {
      return a.index() == b.index() && ir::method_of(a).name == ir::method_of(b).name;
    });
    pair([](const Operation& a, const Operation& b) { return a.index() == b.index(); });
    compare_order();
    for (const auto& [one, other] : pairs_) compare(one_[one], other_[other]);
    for (std::size_t at = 0; at < one_.size(); ++at) {
      if (!paired(at, true)) add_single(one_[at], "removed", true);
    }
    for (std::size_t at = 0; at < other_.size(); ++at) {
      if (!paired(at, false)) add_single(other_[at], "added", false);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool paired(std::size_t at, bool before) const {
    return std::ranges::any_of(pairs_, [&](const auto& pair) { return (before ? pair.first : pair.second) == at; });
  }

  void pair(auto fits) {
    for (std::size_t one = 0; one < one_.size(); ++one) {
      for (std::size_t other = 0; !paired(one, true) && other < other_.size(); ++other) {
        if (!paired(other, false) && fits(*one_[one].operation, *other_[other].operation))
          pairs_.push_back({one, other});
      }
    }
    std::ranges::sort(pairs_);
  }

  void add(std::string what, std::vector<std::uint32_t> before, std::vector<std::uint32_t> after) {
    out_.changes.push_back({std::move(what), {}, {}, std::move(before), std::move(after)});
  }

  void add_single(const Placed& placed, std::string_view verb, bool before) {
    const std::string what = fmt::format("{} was {}", ir::method_of(*placed.operation).text(), verb);
    if (before) add(what, {placed.action}, {});
    if (!before) add(what, {}, {placed.action});
  }

  // Pairs are sorted by the first recipe, so a descent in the second one is a change of order.
  void compare_order() {
    for (std::size_t at = 1; at < pairs_.size(); ++at) {
      const auto& earlier = pairs_[at - 1];
      const auto& later = pairs_[at];
      if (later.second > earlier.second) continue;
      add(fmt::format("{} now runs after {}", ir::method_of(*other_[earlier.second].operation).text(),
                      ir::method_of(*other_[later.second].operation).text()),
          {one_[earlier.first].action}, {other_[earlier.second].action});
    }
  }

  void compare(const Placed& one, const Placed& other) {
    const auto change = [&](std::string what) { add(std::move(what), {one.action}, {other.action}); };
    const ir::Method& method = ir::method_of(*one.operation);
    for (std::string& each : method_changes(method, ir::method_of(*other.operation))) change(std::move(each));
    const std::string before = properties_of(*one.operation);
    const std::string after = properties_of(*other.operation);
    if (before != after) change(fmt::format("{} -> {}", before, after));
    if (has_unknown(*one.operation) || has_unknown(*other.operation)) {
      not_compared(fmt::format("{} depends on values that are not known", method.text()));
    }
    compare_rules(one, other);
  }

  void not_compared(std::string reason) {
    if (std::ranges::find(out_.not_compared, reason) == out_.not_compared.end()) {
      out_.not_compared.push_back(std::move(reason));
    }
  }

  static bool has_unknown(const Operation& operation) {
    return std::ranges::any_of(ir::method_of(operation).settings, &ir::MethodSetting::unknown) ||
           std::ranges::any_of(ir::selection_of(operation).rules, &Rule::unknown);
  }

  void compare_rules(const Placed& one, const Placed& other) {
    const ir::Selection& before = ir::selection_of(*one.operation);
    const ir::Selection& after = ir::selection_of(*other.operation);
    const bool language =
        before.language != nullptr && after.language != nullptr && before.language->name == after.language->name;
    if (!language) return not_compared("the recipes select layers in different languages; pass `--model`");
    const std::vector<const Rule*> mine = rules_of(*one.operation);
    const std::vector<const Rule*> theirs = rules_of(*other.operation);
    const bool other_method = ir::method_of(*one.operation).name != ir::method_of(*other.operation).name;
    bool schemes = false;
    for (const Rule* rule : mine) {
      const auto found = std::ranges::find_if(
          theirs, [&](const Rule* each) { return each->entry == rule->entry && each->kind == rule->kind; });
      if (found == theirs.end() || rule->unknown != (*found)->unknown) continue;
      Meaning old = meaning_of(*one.operation, *rule);
      Meaning now = meaning_of(*other.operation, **found);
      if (other_method) {
        old.scheme = stored_part(std::move(old.scheme));
        now.scheme = stored_part(std::move(now.scheme));
      }
      if (old == now) continue;
      schemes = true;
      add(fmt::format("`{}`: {}", base::printable(rule->entry), scheme_change(old.scheme, now.scheme)), {one.action},
          {other.action});
      const bool detailed = ir::short_name(old.scheme) != ir::short_name(now.scheme);
      if (detailed && !old.scheme.is_empty() && !now.scheme.is_empty()) {
        out_.changes.back().details.push_back(ir::changes(old.scheme, now.scheme));
      }
    }
    const ir::Scheme old = default_of(*one.operation);
    const ir::Scheme now = default_of(*other.operation);
    if (before.otherwise.has_value() != after.otherwise.has_value()) {
      add("layers without a rule are treated differently", {one.action}, {other.action});
    } else if (!(old == now)) {
      add(fmt::format("layers without a rule: {}", scheme_change(old, now)), {one.action}, {other.action});
    }
    const bool same_rules = std::ranges::equal(
        mine, theirs, [](const Rule* a, const Rule* b) { return a->entry == b->entry && a->kind == b->kind; });
    if (!same_rules && !schemes) compare_selectors(one, other, before, after);
  }

  static std::string scheme_change(const ir::Scheme& before, const ir::Scheme& after) {
    const std::string one = ir::short_name(before);
    const std::string other = ir::short_name(after);
    return one == other ? ir::changes(before, after) : fmt::format("{} -> {}", one, other);
  }

  // Evaluates both selections for example names. A difference proves that the selections differ.
  void compare_selectors(const Placed& one, const Placed& other, const ir::Selection& before,
                         const ir::Selection& after) {
    const std::string name = ir::method_of(*one.operation).text();
    const std::vector<model::Module> examples = examples_of(before, after);
    if (examples.empty()) {  // also for units of a recipe, whose names are not those of modules
      return not_compared(fmt::format("the entries of {} differ; pass `--model` to compare layers", name));
    }
    const ir::Recipe* sides[] = {&before_, &after_};
    std::vector<Outcome> outcomes;
    for (const ir::Recipe* side : sides) outcomes.push_back(evaluate(*side, examples));
    Difference found = difference(outcomes[0], outcomes[1], examples);
    for (Change& change : found.changes) {
      if (change.names.empty()) continue;
      std::string example = base::printable(examples[change.names.front()].name);
      const std::size_t colon = change.what.find(": ");
      add(fmt::format("layers such as `{}`{}", example, change.what.substr(colon)), {one.action}, {other.action});
    }
    if (found.changes.empty()) {
      not_compared(fmt::format("the entries of {} differ; pass `--model` to compare layers", name));
    }
  }

  static std::vector<model::Module> examples_of(const ir::Selection& before, const ir::Selection& after) {
    std::vector<model::Module> out;
    std::set<std::string> names;
    for (const ir::Selection* each : {&before, &after}) {
      if (each->language->examples == nullptr) continue;
      for (model::Module& module : each->language->examples(*each)) {
        if (names.insert(module.name).second) out.push_back(std::move(module));
      }
    }
    return out;
  }

  const ir::Recipe& before_;
  const ir::Recipe& after_;
  std::vector<Placed> one_;
  std::vector<Placed> other_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  Difference out_;
};

}  // namespace

Difference symbolic_difference(const ir::Recipe& before, const ir::Recipe& after) {
  return SymbolicComparison(before, after).run();
}

}  // namespace sparsecfg::outcome
