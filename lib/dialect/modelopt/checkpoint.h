#pragma once

#include "dialect/modelopt/read.h"

// Saved checkpoints: `hf_quant_config.json`, and `config.json` with `quant_method: modelopt`.
namespace sparsecfg::dialect::modelopt {

// Returns true if a document is such a file.
[[nodiscard]] bool is_checkpoint(const doc::Document& document);

// Reads such a file, and adds its action to a recipe. Reports what runtimes reject or read differently.
void read_checkpoint(const Context& context, ir::Recipe& out);

}  // namespace sparsecfg::dialect::modelopt
