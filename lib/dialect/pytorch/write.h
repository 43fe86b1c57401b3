#pragma once

#include <string>
#include <string_view>

#include "dialect/pytorch/courses.h"
#include "dialect/write.h"

namespace sparsecfg::dialect::pytorch {

// The files of runtime/, one after the other. A comment `# part: NAME` begins a part of it, and `# part: NAME needs A
// B` one that needs others; what is named `core` is always needed.
extern const std::string_view kRuntime;

// The text of these parts and of what they need, in the order of the runtime.
[[nodiscard]] std::string runtime_with(Parts parts);

// A recipe as a Python file: what it does as data, and a class that runs it on a model.
[[nodiscard]] Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::pytorch
