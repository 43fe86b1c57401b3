#include "platform/startup.h"

#include <unistd.h>

#include <cstdlib>

namespace sparsecfg::platform {

// A WASI program starts at the root. The launcher sets PWD to its working folder.
void prepare_process() {
  if (const char* folder = std::getenv("PWD")) {
    static_cast<void>(::chdir(folder));
  }
}

}  // namespace sparsecfg::platform
