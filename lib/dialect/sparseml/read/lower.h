#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/sparseml/read/modifier.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::sparseml {

// The indices of the modifiers in the order in which they act within a step (reference A.8):
// stages by their last end (a stage in which nothing ends comes last), first start and last identifier; within a stage
// by end (-1 last), start, class name and an MD5 of the fields. Reports where only that hash decides between two
// modifiers that move the learning rate (SP503), and stages that run before an earlier one
// (SP213).
[[nodiscard]] std::vector<std::size_t> application_order(const std::vector<Modifier>& modifiers, diag::Sink& sink);

// `<ClassName>-<md5>` as SparseML makes it of the serializable properties.
[[nodiscard]] std::string identifier(const Modifier& modifier);

// max_epochs (reference A.9): the largest start or end above -1 of any modifier, rounded up, and
// the field that says so. Returns nullopt if no modifier has one.
[[nodiscard]] std::optional<ir::TrainingLength> training_length(const std::vector<Modifier>& modifiers);

// A number with its place; 0 where the field is not given and has no default.
[[nodiscard]] source::Located<double> located(const Modifier& modifier, std::string_view name);
// The same; nullopt where the field is not given, or null.
[[nodiscard]] std::optional<source::Located<double>> given(const Modifier& modifier, std::string_view name);
// A value as it is given; null where it is not.
[[nodiscard]] source::Value value_of(const Modifier& modifier, std::string_view name);

// What a modifier does that quantizes.
[[nodiscard]] ir::Effect quantize(const Modifier& modifier);

// The action that a modifier is. Reads its selectors, and so reports what is wrong with those.
// A modifier that is not valid becomes an action that is known and not understood.
[[nodiscard]] ir::Action lower(Modifier modifier, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
