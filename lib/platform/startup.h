#pragma once

namespace sparsecfg::platform {

// Prepares the process for the command line. Called once, before anything else.
void prepare_process();

}  // namespace sparsecfg::platform
