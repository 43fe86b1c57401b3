#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "base/overloaded.h"
#include "outcome/outcome.h"

namespace sparsecfg::outcome {

using ir::Decisions;
using ir::Rule;

const ir::Operation& Outcome::operation(const RulePlace& place) const {
  return recipe->actions[place.action].operations[place.operation];
}

const Rule* Outcome::rule(const RulePlace& place) const {
  return place.rule ? &ir::selection_of(operation(place)).rules[*place.rule] : nullptr;
}

bool has_outcome(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions, [](const ir::Action& action) { return !action.operations.empty(); });
}

const std::vector<model::Module>& names_of(const ir::Recipe& recipe, const std::vector<model::Module>& modules) {
  return recipe.units.empty() ? modules : recipe.units.items();
}

namespace {

// Applies operation after operation to the states of all modules.
class Evaluation {
 public:
  Evaluation(const ir::Recipe& recipe, const std::vector<model::Module>& names) : names_(names) {
    out_.recipe = &recipe;
    out_.states.resize(1);
    out_.of_names.resize(names.size());
  }

  Outcome run() {
    for (std::uint32_t action = 0; out_.complete && action < out_.recipe->actions.size(); ++action) {
      const auto& operations = out_.recipe->actions[action].operations;
      for (std::uint32_t at = 0; out_.complete && at < operations.size(); ++at) apply(operations[at], {action, at, {}});
    }
    if (!out_.complete) std::ranges::fill(out_.of_names, 0);
    return std::move(out_);
  }

 private:
  void apply(const ir::Operation& operation, RulePlace place) {
    const ir::Selection& selection = ir::selection_of(operation);
    const auto* assign = std::get_if<ir::Assign>(&operation);
    const auto schemes = assign == nullptr ? std::span<const ir::Scheme>() : std::span(assign->schemes);
    Decisions decisions = selection.language->decide(selection, schemes, names_);
    out_.complete = decisions.complete;
    if (!out_.complete) return;
    if (decisions.schemes.empty()) decisions.schemes.assign(schemes.begin(), schemes.end());
    next_.clear();
    for (std::size_t at = 0; at < names_.size(); ++at) {
      out_.of_names[at] = state_after(out_.of_names[at], decisions.of_modules[at], operation, decisions, place);
    }
  }

  // Modules with equal states and decisions get the same next state, which is computed once.
  std::uint32_t state_after(std::uint32_t state, std::uint32_t decision, const ir::Operation& operation,
                            const Decisions& decisions, RulePlace place) {
    const Decisions::Decision& decided = decisions.entries[decision];
    if (decided.reason == Decisions::Reason::not_reached && !decided.unknown) return state;
    const std::uint64_t key = (std::uint64_t{state} << 32U) | decision;
    const auto [known, added] = next_.try_emplace(key, static_cast<std::uint32_t>(out_.states.size()));
    if (added) {
      place.rule = decided.rule;
      out_.states.push_back(
          next_state(out_.states[state], operation, decisions.schemes, decided, Step{place, decided.overridden}));
    }
    return known->second;
  }

  State next_state(State state, const ir::Operation& operation, const std::vector<ir::Scheme>& schemes,
                   const Decisions::Decision& decided, const Step& step) const {
    const bool applies = decided.kind == Rule::Kind::assigns;
    state.unknown = state.unknown || decided.unknown || ir::selection_of(operation).unknown;
    if (applies && std::holds_alternative<ir::Assign>(operation)) replace_assignments(state);
    if (applies) state.order.push_back(step);
    std::visit(base::Overloaded{[&](const ir::Assign&) { assign(state, schemes, decided, step); },
                                [&](const ir::PruneOnce&) {
                                  if (applies) state.pruned = step;
                                },
                                [&](const ir::Transform&) {
                                  if (applies) state.transforms.push_back(step);
                                },
                                [&](const ir::CacheScheme&) {
                                  if (applies) state.cached = step;
                                }},
               operation);
    return state;
  }

  // A later scheme replaces an earlier one.
  void replace_assignments(State& state) const {
    const auto others = std::ranges::stable_partition(
        state.order, [&](const Step& step) { return out_.as<ir::Assign>(step) == nullptr; });
    std::ranges::move(others, std::back_inserter(state.replaced));
    state.order.erase(others.begin(), others.end());
  }

  // A module that keeps its scheme keeps the rule that decided it.
  static void assign(State& state, const std::vector<ir::Scheme>& schemes, const Decisions::Decision& decided,
                     const Step& step) {
    if (decided.kind == Rule::Kind::leaves && state.assigned && !state.scheme.is_empty()) return;
    state.assigned = step;
    if (decided.kind == Rule::Kind::assigns) state.scheme = schemes[decided.scheme];
    if (decided.kind == Rule::Kind::excludes) state.scheme = {};
  }

  const std::vector<model::Module>& names_;
  Outcome out_;
  std::unordered_map<std::uint64_t, std::uint32_t> next_;  // by state and decision of the current operation
};

}  // namespace

Outcome evaluate(const ir::Recipe& recipe, const std::vector<model::Module>& modules) {
  return Evaluation(recipe, names_of(recipe, modules)).run();
}

}  // namespace sparsecfg::outcome
