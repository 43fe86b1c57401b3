#pragma once

#include <optional>

#include "dialect/nni/config.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::nni {

// When a compressor acts, by its class and arguments (reference 5). Nothing says so where there is no
// class; then it never does as far as is known.
[[nodiscard]] ir::StepSchedule counted_of(const Compressor& compressor);
[[nodiscard]] ir::SparsityCurve curve_of(const Compressor& compressor);

// The step after which nothing changes any more; nothing where the class sets no end.
[[nodiscard]] std::optional<double> last_step(const Compressor& compressor);

// What an entry of 1.x does from epoch to epoch (reference 5.5).
struct EpochSchedule {
  ir::Cadence cadence;
  ir::SparsityCurve curve;
  double end = 0;  // the epoch of the last change
};

// Nothing where the ramp has no length, which stops NNI 1.x.
[[nodiscard]] std::optional<EpochSchedule> epochs_of(const source::Map& fields);

}  // namespace sparsecfg::dialect::nni
