#pragma once

#include "python/tree.h"
#include "script/value.h"

namespace sparsecfg::script {

class Interpreter;
struct Arguments;

// Returns `dict(...)`; null if the arguments do not fit.
[[nodiscard]] Ref dictionary_of(Interpreter& interpreter, const Arguments& arguments, const python::Node& node);

// `dictionary.update(...)`.
void update_mapping(Interpreter& interpreter, const Ref& mapping, const Arguments& arguments, const python::Node& node);

}  // namespace sparsecfg::script
