#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/compressed_tensors/config.h"
#include "model/matcher.h"

namespace sparsecfg::dialect::compressed_tensors {

// A layer of a runtime, which may join several modules of the file.
struct Layer {
  enum class Kind : std::uint8_t { linear, head, embedding, experts };
  Kind kind = Kind::linear;
  std::string name;                          // "model.layers.0.self_attn.qkv_proj"
  std::string_view type;                     // class in vLLM: "QKVParallelLinear"
  std::vector<std::string> parts;            // the names of its modules in the file
  std::vector<std::string_view> suffixes{};  // of fused parts: "q_proj", "k_proj", "v_proj"
  std::uint64_t columns = 0;                 // inputs; 0: unknown
};

// Returns the layers that vLLM and SGLang build for a model with common names.
[[nodiscard]] std::vector<Layer> layers_of(const Modules& modules);

// The implementation that vLLM selects for a group.
struct Choice {
  std::string scheme;    // "WNA16"; empty: none
  std::string fault;     // the message of vLLM; empty: no error
  bool grouped = false;  // true if the columns must be divisible by the group size
};

// Returns the scheme that vLLM selects for a group on a GPU of compute capability 9.0.
[[nodiscard]] Choice choose(const ConfigGroup& group, std::string_view format);

// Returns true if vLLM reads the inputs of layers with a format.
[[nodiscard]] bool quantizes_inputs(std::string_view format);

// Returns true if `scale_dtype` of the weights is uint8.
[[nodiscard]] bool has_byte_scales(const ConfigGroup& group);

}  // namespace sparsecfg::dialect::compressed_tensors
