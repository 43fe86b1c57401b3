#pragma once

#include <string_view>

#include "python/tree.h"
#include "script/value.h"

namespace sparsecfg::script {

class Interpreter;

// The text of `__file__`, which begins at the folder of the script.
inline constexpr std::string_view kFileName = "__file__";

// Returns the content of a file next to the script, or an unknown value.
[[nodiscard]] Ref read_file(Interpreter& interpreter, const Ref& path, const python::Node& node);

}  // namespace sparsecfg::script
