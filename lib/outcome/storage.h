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

// Returns the weights of a module as modules with one matrix each: the module itself, or without a shape the matrices
// among its tensors, such as those of experts in one module. `layer` has its tensors; null: unknown.
[[nodiscard]] std::vector<model::Module> matrices_of(const model::Module& module, const architecture::Layer* layer);

// Returns the layer of a name; null if the tensors of the layers are unknown.
[[nodiscard]] const architecture::Layer* layer_at(const std::vector<architecture::Layer>& layers, std::size_t names,
                                                  std::size_t name);

// Returns the bits that the weights of a module occupy, or 0 if their shapes are unknown.
[[nodiscard]] double stored_bits(const Outcome& outcome, std::size_t name, const model::Module& module,
                                 const architecture::Layer* layer = nullptr);

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
