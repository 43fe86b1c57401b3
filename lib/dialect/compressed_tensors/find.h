#pragma once

#include <optional>

#include "doc/document.h"

namespace sparsecfg::dialect::compressed_tensors {

// Returns the mapping of the quantization: that of the key `quantization_config`, or the root of a file without other
// keys of a model.
[[nodiscard]] std::optional<doc::NodeId> find_config(const doc::Document& document);

// Returns the key `compression_config` of older releases.
[[nodiscard]] std::optional<doc::NodeId> find_old_key(const doc::Document& document);

}  // namespace sparsecfg::dialect::compressed_tensors
