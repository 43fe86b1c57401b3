#pragma once

#include <string>
#include <vector>

#include "compile/compile.h"

namespace sparsecfg::project {

// Returns the setting `custom` for the classes that recipes use and no framework defines, or an empty string. A class
// whose name ends in that of a known class is proposed to be like it.
[[nodiscard]] std::string propose_custom(const std::vector<const Compilation*>& compilations);

}  // namespace sparsecfg::project
