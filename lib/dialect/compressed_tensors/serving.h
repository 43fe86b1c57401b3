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
  // What tensor parallelism divides. Row parallel layers split their columns, because a row has one weight per input.
  enum class Split : std::uint8_t { unknown, none, rows, columns };

  std::string name;                     // "model.layers.0.self_attn.qkv_proj"
  std::string_view type;                // class in vLLM: "QKVParallelLinear"
  std::vector<std::string> parts;       // the names of its modules in the file
  std::vector<std::string> suffixes{};  // of fused parts: "q_proj", "k_proj", "v_proj"
  std::uint64_t columns = 0;            // inputs; of experts those of their last layer; 0: unknown
  std::vector<std::uint64_t> rows{};    // outputs of each part; 0: unknown
  Split split = Split::unknown;
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
[[nodiscard]] Choice choose(const ConfigGroup& group, std::string_view format, const RuntimeChoice& runtime);

// Returns true if GPUs have a kernel for a scheme, and the scheme reads the tensors of its format
// (docs/semantics/compressed-tensors.md#d1-17, #d3-14).
[[nodiscard]] bool has_kernel(const Choice& choice, std::string_view format);

// Returns true for a scheme that vLLM added during the known releases, in one that is not known.
[[nodiscard]] bool is_recent(std::string_view scheme);

// The oldest release whose source was read. What is true of it may not be true of older ones.
inline constexpr Release kReadRelease = 28;

// Returns true if vLLM reads the inputs of layers with a format.
[[nodiscard]] bool quantizes_inputs(std::string_view format);

// Returns true if `scale_dtype` of the weights is uint8.
[[nodiscard]] bool has_byte_scales(const ConfigGroup& group);

}  // namespace sparsecfg::dialect::compressed_tensors
