#pragma once

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// Returns true if an entry excludes something of what it selects itself. Entries that only exclude do so for all
// others.
[[nodiscard]] bool has_exclusions(const Entry& entry);

// Reports exclusions of an entry that take away all that it selects, or nothing of it, as far as that holds for every
// model.
void check_exclusions(const Entry& entry, diag::Sink& sink);

}  // namespace sparsecfg::dialect::nni
