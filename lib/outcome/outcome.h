#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/recipe.h"
#include "model/names.h"

// The outcome: the state of each module after a recipe for a trained model has run.
namespace sparsecfg::outcome {

// A rule of an operation of a recipe.
struct RulePlace {
  std::uint32_t action = 0;             // index into Recipe::actions
  std::uint32_t operation = 0;          // index into Action::operations
  std::optional<std::uint32_t> rule{};  // nullopt: no rule matches, and the default of the operation applies
  friend bool operator==(const RulePlace&, const RulePlace&) = default;
};

// An operation that reaches a module.
struct Step {
  RulePlace by;
  std::vector<std::uint32_t> overridden{};  // rules of the same operation that also match
  friend bool operator==(const Step&, const Step&) = default;
};

// The state of a module. Modules that the same rules decide share one state.
struct State {
  ir::Scheme scheme;             // empty: no tensor is quantized
  std::optional<Step> assigned;  // decides about the scheme; nullopt: no rule mentions the module
  std::optional<Step> pruned;    // the last pruning
  std::vector<Step> transforms;  // smoothing and rotations, in order
  std::optional<Step> cached;    // the scheme of the attention cache
  std::vector<Step> order;       // all steps that change the module, in order
  std::vector<Step> replaced{};  // assignments that a later one replaces, in order
  bool unknown = false;          // true if the state depends on an unknown value
};

// The states of all modules of a model, or of all units of the recipe.
struct Outcome {
  const ir::Recipe* recipe = nullptr;
  std::vector<State> states;            // the first: a module that nothing reaches
  std::vector<std::uint32_t> of_names;  // index into `states`, for each name
  bool complete = true;                 // false: the rules are too many patterns for the model, so nothing is known

  [[nodiscard]] const State& at(std::size_t name) const { return states[of_names[name]]; }

  // Return the operation, the rule and the method of a step. A step without a rule returns null.
  [[nodiscard]] const ir::Operation& operation(const RulePlace& place) const;
  [[nodiscard]] const ir::Rule* rule(const RulePlace& place) const;

  [[nodiscard]] const ir::Method& method(const Step& step) const { return ir::method_of(operation(step.by)); }

  // Returns the pruning, the transform or the cache scheme of a step; null if it is something else.
  template <class T>
  [[nodiscard]] const T* as(const Step& step) const {
    return std::get_if<T>(&operation(step.by));
  }
};

// Returns true if a recipe has operations, so that it has an outcome.
[[nodiscard]] bool has_outcome(const ir::Recipe& recipe);

// Evaluates the operations of a recipe for the modules of a model. If the recipe has `units`, they replace `modules`.
// `recipe` must outlive the result.
[[nodiscard]] Outcome evaluate(const ir::Recipe& recipe, const std::vector<model::Module>& modules);

// Returns the names to which an outcome belongs: the units of the recipe, or the modules.
[[nodiscard]] const std::vector<model::Module>& names_of(const ir::Recipe& recipe,
                                                         const std::vector<model::Module>& modules);

}  // namespace sparsecfg::outcome
