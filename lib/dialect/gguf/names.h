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

// Returns a pattern with the names of GGUF files in place of those of a checkpoint.
[[nodiscard]] std::string translated(std::string_view pattern);

}  // namespace sparsecfg::dialect::gguf
