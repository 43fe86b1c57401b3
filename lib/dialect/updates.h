#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/recipe.h"

// What a pruner does, step by step: the form that every writer fits its own shapes to.
namespace sparsecfg::dialect {

// A sparsity and the number of steps after which it is in force.
struct Update {
  std::uint64_t step = 0;
  double sparsity = 0;
};

// Every update of a pruner up to its end, whatever says when it acts. Nothing where there is no end, where there
// are more of them than can be followed, or where a value is none that can be computed.
[[nodiscard]] std::optional<std::vector<Update>> updates_of(const ir::Cadence& cadence, const ir::SparsityCurve& curve,
                                                            double target, std::uint64_t steps_per_epoch);

}  // namespace sparsecfg::dialect
