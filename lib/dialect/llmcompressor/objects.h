#pragma once

#include "dialect/llmcompressor/release.h"
#include "dialect/objects.h"

namespace sparsecfg::dialect::llmcompressor {

// Returns the modifiers with the values that compressed-tensors derives.
[[nodiscard]] std::vector<ir::Origin> constructed_origins(const ir::Recipe& recipe, const Constructed& constructed);

// Modifiers that a script makes, with the presets, enums and records of compressed-tensors.
extern const Objects kObjects;

}  // namespace sparsecfg::dialect::llmcompressor
