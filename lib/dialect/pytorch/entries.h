#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/pytorch/courses.h"
#include "dialect/pytorch/python_text.h"
#include "dialect/write.h"
#include "ir/recipe.h"
#include "ir/selector.h"

namespace sparsecfg::dialect::pytorch {

// What an action is in the list of the file.
struct Entry {
  std::optional<Text> text{};  // nullopt: it needs none
  std::string refused{};       // why it can't be written; empty: it can
};

// The call that makes an action of the runtime's, and in `parts` what it needs of the runtime.
[[nodiscard]] Entry entry_of(const ir::Action& action, const ir::Recipe& recipe, const WriteOptions& options,
                             Parts& parts);

// When an action acts, as a call that makes one of the runtime's objects for it.

// `Every(0.0, 10.0, 1.0)` ...; of each kind of cadence but whole steps.
[[nodiscard]] Text when(const ir::Cadence& cadence, Parts& parts);

// The same for what is done once, or begins and ends.
[[nodiscard]] Text phase(const ir::Cadence& cadence, bool ends, Parts& parts);

// The epochs of a cadence of whole epochs: `range(0, 10, 2)` or a list.
[[nodiscard]] Text epochs_of(const ir::Cadence& cadence);

// Which parameters an action takes, as a list of strings of which the runtime finds the names, or as an object
// that finds modules.

[[nodiscard]] Text names(const std::vector<std::string>& all);

// Its terms as they are.
[[nodiscard]] Text terms(const ir::Selector& selector, Parts& parts);

// The names that it takes where the model is known, else its terms.
[[nodiscard]] Text selected(const ir::Selector& selector, const WriteOptions& options, Parts& parts);

// Why a selector can't be written; empty where it can.
[[nodiscard]] std::string refusal(const ir::Selector& selector);

// Returns true if the framework stops where a term finds nothing.
[[nodiscard]] bool stops_without(const ir::Selector& selector);

}  // namespace sparsecfg::dialect::pytorch
