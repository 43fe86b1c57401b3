#pragma once

#include "script/operation.h"

namespace sparsecfg::script {

// `str.format`.
[[nodiscard]] Ref formatted(const Call& call);

// `template % values`.
[[nodiscard]] Ref percent(Interpreter& interpreter, const Ref& format, const Ref& values, const python::Node& node);

}  // namespace sparsecfg::script
