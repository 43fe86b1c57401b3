#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/distiller/component.h"
#include "dialect/distiller/policy.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::distiller {

// Reads a schedule as Distiller's loader does: sections of components, and policies that schedule them. Reports
// everything that Distiller would reject, ignore or fail on. A file with a post-training quantizer and without a policy
// for a quantizer is read as the other loader does: only that quantizer is used.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns the milestones of a MultiStepLR. Keys of a mapping are repeated by the count in their value, and a string is
// one value.
[[nodiscard]] std::vector<Value> milestones_of(const Component& scheduler);

// Returns the curve of a learning rate scheduler. Returns nullopt if an argument is not a number.
[[nodiscard]] std::optional<ir::EpochRateCurve> course_of(const Component& scheduler);

// Lowers all policies in execution order: first the construction of the schedulers, then policies in file order
// without learning rates, then those with learning rates. Unused components come last and are ignored.
[[nodiscard]] std::vector<ir::Action> lower(const Components& components, const std::vector<Policy>& policies,
                                            const Context& context);

// Post-training quantization files are loaded by another function of Distiller, which looks for one component and
// ignores everything after it (docs/semantics/distiller.md#a5).

// Returns true if a component is a post-training quantizer and no policy runs a quantizer.
[[nodiscard]] bool is_post_training(const Value& file);

// Reads such a file. The recipe lacks training and a timeline.
[[nodiscard]] ir::Recipe read_post_training(const Context& context);

// Returns a JSON Schema (draft 7) of schedules, generated from the tables, with a final line feed. It accepts all
// schedules that Distiller accepts, but can't reject everything that Distiller rejects.
[[nodiscard]] std::string schema();

// Lowers components to IR effects.

// Selects parameters by name. Names that match no parameter are ignored silently.
[[nodiscard]] model::Selector selector_of(std::vector<model::Term> terms);

// Returns the term for one parameter name.
[[nodiscard]] model::Term term_of(const Value& name);

// Returns the term for a key of a mapping, where `*` means all parameters that are not named.
[[nodiscard]] model::Term term_or_all(const Value& name);

// Returns the effect of a pruner with sparsity levels under one policy, including the sparsity of each target.
[[nodiscard]] ir::Prune prune(const Component& pruner, const Policy& policy, ir::SparsityCurve curve,
                              std::vector<ir::Target> targets);

// Returns the effect of any pruner under one policy. `levels` are the levels in the first active epoch; null if
// they are absent.
[[nodiscard]] ir::Effect pruning(const Component& pruner, const Policy& policy, const Value* levels);

}  // namespace sparsecfg::dialect::distiller
