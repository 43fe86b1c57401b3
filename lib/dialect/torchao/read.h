#pragma once

#include <span>
#include <string>

#include "dialect/dialect.h"
#include "dialect/options.h"
#include "dialect/quantizers/calls.h"
#include "dialect/torchao/config.h"
#include "ir/recipe.h"

// Reads calls of `quantize_`, and configurations of transformers in scripts and files.
namespace sparsecfg::dialect::torchao {

[[nodiscard]] std::span<const quantizers::Callable> callables();

[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::torchao
