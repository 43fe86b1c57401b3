#pragma once

#include <optional>
#include <vector>

#include "diag/sink.h"
#include "dialect/sparseml/write/print.h"
#include "dialect/write.h"

namespace sparsecfg::dialect::sparseml {

// The modifier that quantizes what the actions of another dialect's recipe do; it sets the statuses of
// those actions. Returns nullopt if none of them can be written.
[[nodiscard]] std::optional<Draft> quantization_modifier(const ir::Recipe& recipe, const WriteOptions& options,
                                                         std::vector<ActionStatus>& statuses, diag::Sink& sink);

// The modifier that adds the distance from a teacher's layers to the loss as an action of another dialect's does.
// Returns nullopt if there is none; the status then says why.
[[nodiscard]] std::optional<Draft> distillation_modifier(const ir::Action& action, const ir::Distill& distill,
                                                         ActionStatus& status, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
