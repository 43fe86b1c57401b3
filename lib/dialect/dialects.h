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

namespace sparseml {
extern const Dialect kDialect;
}

namespace distiller {
extern const Dialect kDialect;
}

// Programs: a schedule as a Python file that runs it with torch alone. They are written and never read.
namespace pytorch {
extern const Dialect kDialect;
}

}  // namespace sparsecfg::dialect
