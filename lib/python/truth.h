#pragma once

#include "source/value.h"

namespace sparsecfg::python {

// What Python takes for true.
[[nodiscard]] bool is_true(const source::Value& value);

}  // namespace sparsecfg::python
