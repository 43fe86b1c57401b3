#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::mlx {

[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns a JSON Schema of `config.json`.
[[nodiscard]] std::string schema(const ReadOptions& options);

[[nodiscard]] std::vector<Page> pages();

}  // namespace sparsecfg::dialect::mlx
