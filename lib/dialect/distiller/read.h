#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/distiller/component.h"
#include "dialect/distiller/policy.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::distiller {

// Reads a schedule as Distiller's loader reads it: sections of components, and policies that say when
// they act. A file whose quantizer is for a trained model, and which schedules no quantizer, is read
// as the other loader does, for that component alone. Reports everything that Distiller would refuse, or
// stop at, or drop.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// The course of a scheduler of the learning rate. Returns nullopt if an argument is not a number.
[[nodiscard]] std::optional<ir::EpochRateCurve> course_of(const Component& scheduler);

// The schedule of all policies in the order in which they act: the building of the schedulers, the
// policies of the file but for those of the learning rate, and those. Components that no policy
// uses come last and do nothing.
[[nodiscard]] std::vector<ir::Action> lower(const Components& components, const std::vector<Policy>& policies,
                                            const Reading& reading);

// Files for post-training quantization, which another function of Distiller's loads: it looks for one
// component and at nothing behind it (reference/distiller.md A.5).

// Returns true if a component is a quantizer for trained models and no policy runs a quantizer.
[[nodiscard]] bool is_post_training(const Value& file);

// Reads such a file; the recipe has no training and no timeline.
[[nodiscard]] ir::Recipe read_post_training(const Reading& reading);

// A JSON Schema (draft 7) of schedules, made from the tables, with a line feed at its end. It refuses
// nothing that Distiller takes, and can't see all that Distiller refuses.
[[nodiscard]] std::string schema();

}  // namespace sparsecfg::dialect::distiller
