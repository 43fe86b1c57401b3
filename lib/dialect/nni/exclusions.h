#pragma once

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// Returns true if an entry has exclusions from its own selection. Entries with `exclude: true` exclude from all entries
// instead.
[[nodiscard]] bool has_exclusions(const Entry& entry);

// Reports exclusions that remove everything or nothing from the entry's selection, if this is certain for every model.
void check_exclusions(const Entry& entry, diag::Sink& sink);

}  // namespace sparsecfg::dialect::nni
