#include "platform/startup.h"

#include <csignal>

namespace sparsecfg::platform {

// A parent may have ignored SIGCHLD, which would lose the exit status of git.
void prepare_process() { std::signal(SIGCHLD, SIG_DFL); }

}  // namespace sparsecfg::platform
