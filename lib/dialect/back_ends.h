#pragma once

#include "dialect/back_end.h"

// The back ends of the dialects, in their own folders.
namespace sparsecfg::dialect {

struct Dialect;

namespace llmcompressor {
extern const BackEnd kBackEnd;
}

namespace compressed_tensors {
extern const BackEnd kBackEnd;
}

namespace modelopt {
extern const BackEnd kBackEnd;
}

namespace autoround {
extern const BackEnd kBackEnd;
}

namespace gptqmodel {
extern const BackEnd kBackEnd;
}

namespace torchao {
extern const BackEnd kBackEnd;
}

// Returns the back end of a dialect; null if the dialect is not written by outcomes.
[[nodiscard]] const BackEnd* back_end_of(const Dialect& dialect);

// Returns true if recipes of other dialects can be written in this dialect.
[[nodiscard]] bool is_written(const Dialect& dialect);

}  // namespace sparsecfg::dialect
