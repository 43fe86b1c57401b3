#pragma once

#include "dialect/dialect.h"

// The rows of the dialects that describe quantized models, in their own folders.
namespace sparsecfg::dialect {

// The `quantization_config` of all methods without a dialect of their own.
namespace checkpoint {
extern const Dialect kDialect;
}

// The key `quantization` of MLX.
namespace mlx {
extern const Dialect kDialect;
}

// Command lines of llama-quantize.
namespace gguf {
extern const Dialect kDialect;
}

}  // namespace sparsecfg::dialect
