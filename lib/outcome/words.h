#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "outcome/outcome.h"

// Parts of outcomes in words.
namespace sparsecfg::outcome {

// Returns "50 %", "2:4" or "50 % in 2:4" for a pruning.
[[nodiscard]] std::string pruned_amount(const ir::PruneOnce& prune);

// Returns "pruned to 50 % by SparseGPT", or "not pruned".
[[nodiscard]] std::string pruning_text(const Outcome& outcome, const State& state);

// Returns "float8 per tensor", "keys float8 per tensor, values int4 per token" or "16 bits".
[[nodiscard]] std::string cache_text(const ir::CacheScheme& cache);
[[nodiscard]] std::string cache_text(const Outcome& outcome, const State& state);

// Returns "smoothed by SmoothQuant", "rotated by QuIP" or "changed by X".
[[nodiscard]] std::string transform_text(const Outcome& outcome, const Step& step);

// Returns a scheme without what only decides the values: observers and orders of columns.
[[nodiscard]] ir::Scheme stored_part(ir::Scheme scheme);

// Returns the name of a single module, "32 down_proj" for modules with the same last part, or "224 layers".
[[nodiscard]] std::string layers_text(const std::vector<std::uint32_t>& names,
                                      const std::vector<model::Module>& modules);

}  // namespace sparsecfg::outcome
