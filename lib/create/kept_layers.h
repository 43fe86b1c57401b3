#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"

// The layers of a model that a new recipe leaves unquantized.
namespace sparsecfg::create {

// An entry of `ignore`, and why its layers stay unquantized: "router".
struct KeptLayer {
  std::string entry;
  std::string_view why;
  bool linear = false;  // true if a layer of the class Linear is among them
};

struct KeptLayers {
  std::vector<KeptLayer> entries;  // in the order of their first layers
  std::size_t quantized = 0;       // number of linear layers that remain
  bool has_other_inputs = false;   // true if parts of the model process images or audio
};

// Returns the layers of a model to ignore: heads and other layers outside of the repeated blocks, routers of experts,
// parts that do not process text, and layers whose columns `groups` does not divide (0: no groups).
[[nodiscard]] KeptLayers kept_layers(const std::vector<model::Module>& modules, std::int64_t groups);

// Returns the largest size of groups, from `preferred` down to 32, that divides the columns of all layers that are
// quantized with `preferred` or without groups; `preferred` if none does.
[[nodiscard]] std::int64_t fitting_groups(const std::vector<model::Module>& modules, std::int64_t preferred);

// Returns the entry that excludes the same layers from pruning, which compares names that end in a dot.
[[nodiscard]] std::string entry_for_pruner(std::string_view entry);

}  // namespace sparsecfg::create
