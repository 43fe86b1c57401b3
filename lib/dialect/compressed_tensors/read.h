#pragma once

#include <optional>

#include "dialect/dialect.h"

namespace sparsecfg::dialect::compressed_tensors {

// Returns true for a `config.json` with this quantization method, or for only its `quantization_config`.
[[nodiscard]] bool claims(const doc::Document& document);

[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns a JSON Schema of `config.json`.
[[nodiscard]] std::string schema(const ReadOptions& options);

[[nodiscard]] std::vector<Page> pages();

// Writes a recipe of llm-compressor, or a file of this dialect, as the library writes it for a model.
[[nodiscard]] Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::compressed_tensors
