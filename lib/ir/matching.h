#pragma once

#include <string>
#include <vector>

#include "ir/effect.h"
#include "ir/model_names.h"

namespace sparsecfg::ir {

// For each target of a pruner whether no parameter is left to it: none that it takes, or none that
// an earlier target has not taken before. `parameters` are the names of the whole model; where it
// is null nothing is known to be empty.
[[nodiscard]] std::vector<bool> targets_without_parameters(const Prune& prune, const ModelNames* parameters);

// Which of the names a selector takes by its terms, whatever it excludes. Of one over layers only
// what can be told by the names of parameters.
[[nodiscard]] std::vector<bool> taken_by(const Selector& selector, const ModelNames& names);

// Which of the parameters each target of a pruner gets: those it takes and no earlier one has taken.
// In their order. Nothing can be said of selectors over modules; they get none.
[[nodiscard]] std::vector<std::vector<std::string>> parameters_of_targets(const Prune& prune,
                                                                          const ModelNames& parameters);

// Whether a text holds characters that patterns have and names do not.
[[nodiscard]] bool looks_like_pattern(std::string_view text);

}  // namespace sparsecfg::ir
