#include "base/version.h"

namespace sparsecfg::base {

std::string_view version() { return SPARSECFG_VERSION; }

}  // namespace sparsecfg::base
