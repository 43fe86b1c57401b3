#pragma once

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// Finds the compressors and their lists in a file of any of the known forms (reference/nni-files.md 1):
// a list alone, one compressor, several of them, or a class of 1.x with its `config`. Reports what
// fits no form. `script`: the root holds the literals of a Python script by name.
[[nodiscard]] Configuration find_compressors(const source::Value& root, bool script, const Context& context);

}  // namespace sparsecfg::dialect::nni
