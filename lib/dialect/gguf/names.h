#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gguf.h"
#include "model/model_names.h"

// Names of Hugging Face checkpoints, and those of the same tensors in GGUF files.
namespace sparsecfg::dialect::gguf {

// Returns the tensors of the GGUF file of a checkpoint. Names that are those of GGUF files stay. Nullopt if a name has
// no known counterpart.
[[nodiscard]] std::optional<std::vector<model::GgufTensor>> tensors_of(const model::ModelNames& names);

// Returns true for the name of a tensor below `blk.N`, without `.weight`: "ffn_gate".
[[nodiscard]] bool is_tensor_in_layer(std::string_view name);

// Returns the patterns of tensors that other architectures have in place of one, the most similar first:
// `attn_(q|k|v)\.` for `attn_qkv`, and the experts for `ffn_gate`. Empty for other names.
[[nodiscard]] std::vector<std::string> counterparts_of(std::string_view name);

// Returns a pattern with the names of GGUF files in place of those of a checkpoint.
[[nodiscard]] std::string translated(std::string_view pattern);

}  // namespace sparsecfg::dialect::gguf
