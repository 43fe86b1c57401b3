#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dialect/nni/targets.h"
#include "source/shape.h"

// How NNI lays blocks over a tensor: what is pruned together, or shares a scale (reference 4.1).
namespace sparsecfg::dialect::nni {

struct Blocks {
  std::vector<std::int64_t> sizes;  // -1: the whole of a dimension
  bool from_front = true;           // whether what is missing is filled up before the sizes, else behind them
  std::int64_t filling = 1;         // the size of what is missing
};

// The blocks of a target. Nothing where it has none, or where the granularity is none that NNI reads.
[[nodiscard]] std::optional<Blocks> blocks_of(const Target& target, const ClassSpec& maker);

// The shape of what is ranked: one number a block. Nothing where the blocks don't fit the tensor.
[[nodiscard]] std::optional<source::Shape> metric_shape(const std::optional<Blocks>& blocks, const source::Shape& shape);

}  // namespace sparsecfg::dialect::nni
