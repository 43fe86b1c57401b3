#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/gguf.h"

// The default mixes of llama.cpp: the types of the tensors that no entry decides.
namespace sparsecfg::dialect::gguf {

// Returns true if llama-quantize knows a file type, in any letter case, or by its number.
[[nodiscard]] bool is_file_type(std::string_view name);

// Returns true for F32, F16, BF16 and COPY, with which lists of tensor types have no effect.
[[nodiscard]] bool is_plain_file_type(std::string_view name);

// Returns the name of the type of most tensors: "q4_K" for Q4_K_M.
[[nodiscard]] std::string base_type(std::string_view file_type);

// A tensor that the mix decides.
struct MixedTensor {
  std::string_view name;
  const model::Shape* shape;  // outermost dimension first
  std::string type{};         // result
};

// Decides the types of tensors. Only these tensors advance the counters of the mix, so an entry of a list for one layer
// shifts the types of the others. `all` are all tensors of the model.
void apply_mix(std::string_view file_type, const model::GgufHeader& header, std::vector<MixedTensor>& undecided);

}  // namespace sparsecfg::dialect::gguf
