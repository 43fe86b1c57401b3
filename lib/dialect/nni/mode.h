#pragma once

#include <optional>

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// What a list is for, told by keys that occur in lists of one mode only; nothing where none does.
[[nodiscard]] std::optional<Mode> mode_of(const std::vector<Entry>& entries);

}  // namespace sparsecfg::dialect::nni
