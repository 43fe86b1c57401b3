#include "dialect/dialects.h"
#include "dialect/pytorch/write.h"

namespace sparsecfg::dialect::pytorch {

static bool claims_nothing(const doc::Document& /*document*/) { return false; }

const Dialect kDialect{
    .name = "pytorch",
    .title = "PyTorch",
    .text = "a Python file",
    .claims = claims_nothing,
    .words = {},
    .write = write,
    .maintained = true,
};

}  // namespace sparsecfg::dialect::pytorch
