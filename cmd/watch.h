#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cmd/cli.h"

namespace sparsecfg::cmd {

// Runs a check, and again after each change of the files, until the process ends by a signal or the output fails. The
// check returns the additional files that it read, such as config files. `paths` are the files and folders of the
// command line; folders are searched again each time. `rewrites` is true if the check itself changes the files.
[[nodiscard]] int watch(const std::vector<std::string>& paths, bool rewrites,
                        const std::function<std::set<std::string>()>& check, const Streams& streams);

}  // namespace sparsecfg::cmd
