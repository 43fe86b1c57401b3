#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::stages {

// The manual pages of the modifiers of stages.
[[nodiscard]] std::vector<Page> pages();

}  // namespace sparsecfg::dialect::stages
