#pragma once

#include <optional>

#include "dialect/dialect.h"
#include "doc/document.h"

namespace sparsecfg::dialect::compressed_tensors {

// Returns true for a `config.json` with this quantization method, or for only its `quantization_config`.
[[nodiscard]] bool claims(const doc::Document& document);

[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns a JSON Schema of `config.json`.
[[nodiscard]] std::string schema(const ReadOptions& options);

[[nodiscard]] std::vector<Page> pages();

// Writes a recipe of llm-compressor, or a file of this dialect, as the library writes it for a model.
[[nodiscard]] WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Returns the mapping of the quantization: that of the key `quantization_config`, or the root of a file without other
// keys of a model.
[[nodiscard]] std::optional<doc::NodeId> find_config(const doc::Document& document);

// Returns the key `compression_config` of older releases.
[[nodiscard]] std::optional<doc::NodeId> find_old_key(const doc::Document& document);

}  // namespace sparsecfg::dialect::compressed_tensors
