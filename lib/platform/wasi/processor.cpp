#include "platform/processor.h"

namespace sparsecfg::platform {

// No thread can be started.
std::size_t cores() { return 1; }

}  // namespace sparsecfg::platform
