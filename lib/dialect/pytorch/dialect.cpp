#include "dialect/dialects.h"
#include "dialect/pytorch/write.h"

namespace sparsecfg::dialect::pytorch {

static bool claims_nothing(const doc::Document& /*document*/) { return false; }

const Dialect kDialect{"pytorch", "PyTorch", "a Python file", claims_nothing, {},   false,
                       nullptr,   nullptr,   nullptr,         false,          write};

}  // namespace sparsecfg::dialect::pytorch
