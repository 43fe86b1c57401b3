#pragma once

#include "dialect/dialect.h"

// The row of each dialect, in its own folder.
namespace sparsecfg::dialect {

namespace schedule {
extern const Dialect kDialect;
}

namespace nni {
extern const Dialect kDialect;
}

namespace llmcompressor {
extern const Dialect kDialect;
}

namespace compressed_tensors {
extern const Dialect kDialect;
}

namespace sparseml {
extern const Dialect kDialect;
}

namespace distiller {
extern const Dialect kDialect;
}

// Write-only: Python programs that run a schedule with plain PyTorch.
namespace pytorch {
extern const Dialect kDialect;
}

}  // namespace sparsecfg::dialect
