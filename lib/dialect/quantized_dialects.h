#pragma once

#include <vector>

#include "dialect/dialect.h"
#include "source/shell_words.h"

// The rows of the dialects that describe quantized models, in their own folders.
namespace sparsecfg::dialect {

// The `quantization_config` of all methods without a dialect of their own.
namespace checkpoint {
extern const Dialect kDialect;
}

// The key `quantization` of MLX, and the commands and calls that write it.
namespace mlx {
extern const Dialect kDialect;

// Reports commands of a shell script that write to a folder that exists.
void check_commands(const std::vector<source::ShellCommand>& commands, diag::Sink& sink);
}  // namespace mlx

// Command lines of llama-quantize.
namespace gguf {
extern const Dialect kDialect;
}

}  // namespace sparsecfg::dialect
