#pragma once

#include <cstdint>
#include <vector>

#include "dialect/compressed_tensors/serving.h"

// The sizes of layers that a runtime supports, after they are split across GPUs.
namespace sparsecfg::dialect::compressed_tensors {

// A size of a layer that the runtime does not support.
struct ShapeFault {
  // split: not divisible by the number of GPUs. group, block: the part of one GPU is not divisible by the groups or
  // blocks of the scales. kernel: no kernel multiplies matrices of this size
  // (facts::kFixedTiles).
  enum class Kind : std::uint8_t { split, group, block, kernel };

  Kind kind = Kind::split;
  bool rows = false;       // true for the outputs of the layer, false for its inputs
  std::uint64_t size = 0;  // of the layer, before it is split
  std::uint64_t gpus = 1;  // that divide the size
  std::uint64_t by = 0;    // the number that must divide it

  // Returns the size on one GPU.
  [[nodiscard]] std::uint64_t part() const { return size / gpus; }
};

// Returns the first unsupported size of each kind. `group` is null for a layer that is not quantized. Sizes that are
// not known, and layers that vLLM may split in another way, have no faults.
[[nodiscard]] std::vector<ShapeFault> shape_faults(const Layer& layer, const ConfigGroup* group, const Choice& choice,
                                                   const RuntimeChoice& runtime);

}  // namespace sparsecfg::dialect::compressed_tensors
