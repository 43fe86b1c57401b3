#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::sparseml::core {

// The manual pages of the modifiers of stages.
[[nodiscard]] std::vector<Page> pages();

}  // namespace sparsecfg::dialect::sparseml::core
