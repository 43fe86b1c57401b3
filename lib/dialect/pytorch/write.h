#pragma once

#include <string>
#include <string_view>

#include "dialect/pytorch/courses.h"
#include "dialect/write.h"

namespace sparsecfg::dialect::pytorch {

// The files of runtime/, concatenated. A comment `# part: NAME` starts a part. `# part: NAME needs A B` starts a part
// that requires others. The part `core` is always required.
extern const std::string_view kRuntime;

// Returns the text of these parts and of the parts that they require, in the order of the runtime.
[[nodiscard]] std::string runtime_with(Parts parts);

// Writes a recipe as a Python file: its actions as data, and a class that runs them on a model.
[[nodiscard]] WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::pytorch
