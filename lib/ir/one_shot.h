#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/recipe.h"

// The actions of a recipe for a trained model, and the size of the model afterwards.
namespace sparsecfg::ir {

// Layers with the same scheme.
struct SchemeOfLayers {
  std::string layers;  // targets: "Linear", "re:.*mlp.*"
  std::string scheme;  // "weights int4 in groups of 128"
};

// One action.
struct OneShotStep {
  std::size_t action = 0;
  std::vector<SchemeOfLayers> schemes;
  std::vector<std::string> ignored;
  std::vector<std::string> mappings;  // "re:.*q_proj, re:.*k_proj: re:.*input_layernorm"
  std::vector<std::string> settings;  // "sparsity 0.5", "mask_structure 2:4"
};

// Layers of a model with the same type and scheme.
struct StoredLayers {
  std::string type;
  std::string scheme;  // empty: not quantized
  std::size_t layers = 0;
  std::optional<std::uint64_t> weights = 0;  // nullopt: a shape is unknown
  double bits = 0;                           // of all weights, with scales and zero points
};

struct OneShot {
  std::vector<OneShotStep> steps;
  std::vector<StoredLayers> stored;  // empty: the model is unknown, or nothing is quantized

  // Returns the sum over all layers. `weights` is nullopt if the shape of a quantized layer is unknown.
  [[nodiscard]] StoredLayers total() const;
};

// Returns "812 MB" or "5.7 GB" for a number of bits. A megabyte has 10^6 bytes.
[[nodiscard]] std::string bytes_text(double bits);

// Returns "5.40 bits per weight, 812 MB, 2.96 times smaller than with 16 bits", or "unknown" with the reason.
[[nodiscard]] std::string size_text(const OneShot& one_shot);

}  // namespace sparsecfg::ir
