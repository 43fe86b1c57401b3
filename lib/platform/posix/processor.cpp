#include "platform/processor.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace sparsecfg::platform {

std::size_t cores() {
  cpu_set_t mine;
  return ::sched_getaffinity(0, sizeof mine, &mine) == 0 ? static_cast<std::size_t>(CPU_COUNT(&mine))
                                                         : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace sparsecfg::platform
