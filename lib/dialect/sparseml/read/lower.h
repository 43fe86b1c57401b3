#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/sparseml/read/modifier.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::sparseml {

// Returns the indices of the modifiers in the order in which they act within a step (docs/semantics/sparseml.md#a7).
// Stages are sorted by last end, first start and last identifier; a stage without any end comes last. Modifiers of a
// stage are sorted by end (-1 last), start, class name and an MD5 of the fields. Reports two modifiers of the learning
// rate whose order depends only on that hash (SP503), and stages that run before an earlier one (SP213).
[[nodiscard]] std::vector<std::size_t> application_order(const std::vector<Modifier>& modifiers, diag::Sink& sink);

// Returns `<ClassName>-<md5>` as SparseML computes it from the serializable properties.
[[nodiscard]] std::string identifier(const Modifier& modifier);

// Returns max_epochs (docs/semantics/sparseml.md#a8-1), the largest start or end above -1 of any modifier, rounded up,
// and the field that determines it. Returns nullopt if no modifier has one.
[[nodiscard]] std::optional<ir::TrainingLength> training_length(const std::vector<Modifier>& modifiers);

// Returns a number and its location, or nullopt if the field is absent or null.
[[nodiscard]] std::optional<source::Located<double>> given(const Record& modifier, std::string_view name);
// Returns the value of a field, or null if it is absent.
[[nodiscard]] source::Value value_of(const Modifier& modifier, std::string_view name);

// Lowers a modifier that quantizes.
[[nodiscard]] ir::Effect quantize(const Modifier& modifier);

// Lowers a modifier to an action. Reports errors in its selectors. An invalid modifier becomes an Opaque action.
[[nodiscard]] ir::Action lower(Modifier modifier, diag::Sink& sink);

// Returns the times at which a valid modifier acts.
[[nodiscard]] ir::Cadence cadence_of(const Modifier& modifier);

}  // namespace sparsecfg::dialect::sparseml
