#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "architecture/derive.h"
#include "ir/one_shot.h"
#include "outcome/outcome.h"

// The sizes that follow from an outcome. `layers` are those of `modules` with all tensors, or empty if only weights are
// known. A weight that shares its tensor with another layer does not count unless the recipe quantizes it separately.
namespace sparsecfg::outcome {

struct Sizes {
  std::uint64_t weights = 0;    // number of weights with known shapes
  std::uint64_t quantized = 0;  // of them in quantized layers
  double bits = 0;              // of all of them, with scales and zero points; others have 16
};

// Returns the bits that the weight of a module occupies, or 0 if its shape is unknown.
[[nodiscard]] double stored_bits(const Outcome& outcome, std::size_t name, const model::Module& module);

[[nodiscard]] Sizes sizes_of(const Outcome& outcome, const std::vector<model::Module>& modules,
                             const std::vector<architecture::Layer>& layers);

// Returns the layers by class and scheme, quantized ones first. Empty if no layer has a scheme. `outside`: the bits of
// layers that are not among the modules, which become a row of their own.
[[nodiscard]] std::vector<ir::StoredLayers> stored_layers(const Outcome& outcome,
                                                          const std::vector<model::Module>& modules,
                                                          const std::vector<architecture::Layer>& layers,
                                                          double outside = 0);

// Returns the number of layers of each scheme, in the order of their first layers: "weights int4 in groups of 128: 14
// layers".
[[nodiscard]] std::vector<std::string> scheme_counts(const Outcome& outcome);

}  // namespace sparsecfg::outcome
