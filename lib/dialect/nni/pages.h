#pragma once

#include <vector>

#include "dialect/dialect.h"

namespace sparsecfg::dialect::nni {

// The manual pages of the classes, of the entries of a config_list and of each of their keys.
[[nodiscard]] std::vector<Page> pages();

}  // namespace sparsecfg::dialect::nni
