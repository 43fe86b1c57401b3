#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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
// shifts the types of the others.
void apply_mix(std::string_view file_type, const model::GgufHeader& header, std::vector<MixedTensor>& undecided);

// Decides the types of all tensors that ik_llama.cpp can quantize, for the file types of llama.cpp with 2 to 8 bits. It
// counts all of them, so an entry for one layer does not shift the others. The types of other file types stay empty.
void apply_ik_mix(std::string_view file_type, const model::GgufHeader& header, std::vector<MixedTensor>& tensors);

// What both mixes need to know about a model.
struct MixedModel {
  std::string architecture;
  std::int64_t experts = 1;
  std::int64_t layers = 0;
  std::int64_t heads = 1;
  std::int64_t key_heads = 1;
  std::int64_t ratio = 1;   // heads for each head of keys
  std::int64_t values = 0;  // tensors that compute values of attention
  bool has_output = false;
};

[[nodiscard]] MixedModel mixed_model(const model::GgufHeader& header);

// Returns the number in `blk.7.`; -1 if there is none.
[[nodiscard]] std::int64_t layer_in(std::string_view name);

// Returns true for the first and the last eighth of the layers, and for each third one between them.
[[nodiscard]] bool gets_more_bits(std::int64_t layer, std::int64_t layers);

// Returns the name of a file type in upper case, with the meaning of short names: "Q4_K_M" for "q4_k".
[[nodiscard]] std::string full_name(std::string_view file_type);

// Calls `visit` with the tensors in the order in which the programs quantize them: by layer.
void visit_by_layer(std::vector<MixedTensor>& tensors, auto visit) {
  std::vector<std::size_t> order(tensors.size());
  for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
  std::ranges::sort(order, {}, [&](std::size_t at) { return std::pair(layer_in(tensors[at].name), tensors[at].name); });
  for (const std::size_t at : order) visit(tensors[at]);
}

}  // namespace sparsecfg::dialect::gguf
