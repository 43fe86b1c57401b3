#pragma once

#include <string>

#include "dialect/options.h"

namespace sparsecfg::dialect::modelopt {

[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::modelopt
