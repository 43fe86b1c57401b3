#pragma once

#include "cmd/cli.h"
#include "project/validation.h"

namespace sparsecfg::cmd {

// Writes the findings of all files to their baselines. `named_by_user` is true if the command line names the baseline.
// Info findings are only part of it if they are shown or make the run fail. Returns kClean or kUsage.
[[nodiscard]] int write_baselines(project::Validation& validation, bool named_by_user, const Streams& streams);

}  // namespace sparsecfg::cmd
