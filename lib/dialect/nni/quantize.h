#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diag/sink.h"
#include "dialect/write.h"
#include "ir/recipe.h"
#include "model/model.h"

namespace sparsecfg::dialect::nni {

// A QATQuantizer and the entries of its list.
struct Quantizer {
  std::size_t action = 0;
  std::uint64_t start = 0;  // first quantized step
  source::List entries;
};

// Converts the quantization actions of another dialect. Records differences in the statuses. An action that gets no
// quantizer is dropped.
[[nodiscard]] std::vector<Quantizer> quantizers_of(const ir::Recipe& recipe, const WriteOptions& options,
                                                   std::vector<ActionStatus>& statuses, diag::Sink& sink);

}  // namespace sparsecfg::dialect::nni
