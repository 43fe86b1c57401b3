#pragma once

#include "diag/sink.h"
#include "dialect/dialect.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::schedule {

// A schedule from its JSON (ir/dump.h), each part with the place in that text. Reports whatever does
// not make a whole schedule; the recipe is then empty.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Reports what no reader of a dialect would have made: steps that never come, milestones out of order,
// numbers of what is not there. True where there is nothing to report.
[[nodiscard]] bool is_whole(const ir::Recipe& recipe, diag::Sink& sink);

}  // namespace sparsecfg::dialect::schedule
