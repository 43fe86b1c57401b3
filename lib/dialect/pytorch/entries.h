#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/pytorch/courses.h"
#include "dialect/pytorch/python_text.h"
#include "dialect/write.h"
#include "ir/recipe.h"
#include "model/selector.h"

namespace sparsecfg::dialect::pytorch {

// The entry of an action in the list of recipe().
struct Entry {
  std::optional<Text> text{};  // nullopt if no entry is needed
  std::string refused{};       // reason why it can't be written; empty if it can
};

// Returns the call that constructs the action, and adds the runtime parts that it needs to `parts`.
[[nodiscard]] Entry entry_of(const ir::Action& action, const ir::Recipe& recipe, const WriteOptions& options,
                             Parts& parts);

// These functions return the times of an action as calls that construct runtime objects.

// Returns calls such as `Every(0.0, 10.0, 1.0)`, for every kind of cadence except whole steps.
[[nodiscard]] Text when(const ir::Cadence& cadence, Parts& parts);

// Returns the same for actions that act once, or that start and end.
[[nodiscard]] Text phase(const ir::Cadence& cadence, bool ends, Parts& parts);

// Returns a cadence that acts at every step of its window, if it is timed from the last update.
[[nodiscard]] ir::Cadence at_every_step(ir::Cadence cadence);

// Returns the epochs of a cadence of whole epochs: `range(0, 10, 2)` or a list.
[[nodiscard]] Text epochs_of(const ir::Cadence& cadence);

// These functions return the parameters of an action: a list of strings that the runtime resolves to names, or an
// object that finds modules.

[[nodiscard]] Text names(const std::vector<std::string>& all);

// Returns the unresolved terms of a selector.
[[nodiscard]] Text terms(const model::Selector& selector, Parts& parts);

// Returns the selected names if the model is known, else the terms.
[[nodiscard]] Text selected(const model::Selector& selector, const WriteOptions& options, Parts& parts);

// Returns the reason why a selector can't be written; empty if it can.
[[nodiscard]] std::string refusal(const model::Selector& selector);

// Returns true if the framework fails when a term matches nothing.
[[nodiscard]] bool stops_without(const model::Selector& selector);

}  // namespace sparsecfg::dialect::pytorch
