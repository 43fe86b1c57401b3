#pragma once

#include <string>

#include "dialect/options.h"

namespace sparsecfg::dialect::nni {

// A JSON Schema (draft 7) of configurations for NNI 3.0, made from the tables, with a line feed at its
// end. It refuses nothing that NNI takes, keys of 2.x that it translates among them.
[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::nni
