#pragma once

#include <optional>
#include <string>
#include <vector>

#include "architecture/derive.h"
#include "outcome/outcome.h"

// The outcome in one line.
namespace sparsecfg::outcome {

// Returns what a recipe does to the layers of a model and to its size: "224 of 225 Linear layers: weights int4 in
// groups of 128; lm_head stays 16-bit; 84 of 225 Linear layers pruned to 50 % by SparseGPT; 16.1 -> 5.7 GB". Empty if
// the recipe has no operations or the outcome is incomplete. `layers` are those of `modules` with all tensors, or empty
// if only weights are known.
// `others`: the bits of parts of the model that are not among the modules, such as layers that a runtime does not join.
[[nodiscard]] std::string summary(const Outcome& outcome, const std::vector<model::Module>& modules,
                                  const std::vector<architecture::Layer>& layers, double others = 0);

// Returns the bits of the model after a recipe, as summary() prints them; nullopt if a layer or its size is unknown.
[[nodiscard]] std::optional<double> size_after(const Outcome& outcome, const std::vector<model::Module>& modules,
                                               const std::vector<architecture::Layer>& layers, double others = 0);

// Returns the bits of modules with 16 bits for each value. A shared weight counts once.
[[nodiscard]] double unquantized_bits(const std::vector<model::Module>& modules,
                                      const std::vector<architecture::Layer>& layers);

}  // namespace sparsecfg::outcome
