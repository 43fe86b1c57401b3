#pragma once

#include <optional>
#include <vector>

#include "diag/sink.h"
#include "dialect/sparseml/write/print.h"
#include "dialect/write.h"

namespace sparsecfg::dialect::sparseml {

// Converts all quantization actions of another dialect to one modifier and sets the status of each action. Returns
// nullopt if none of them can be converted.
[[nodiscard]] std::optional<Draft> quantization_modifier(const ir::Recipe& recipe, const WriteOptions& options,
                                                         std::vector<ActionStatus>& statuses, diag::Sink& sink);

// Converts a distillation action of another dialect. Returns nullopt if SparseML has no equivalent; `status` then
// contains the reason.
[[nodiscard]] std::optional<Draft> distillation_modifier(const ir::Action& action, const ir::Distill& distill,
                                                         ActionStatus& status, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
