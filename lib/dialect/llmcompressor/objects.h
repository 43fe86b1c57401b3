#pragma once

#include "dialect/objects.h"
#include "dialect/llmcompressor/release.h"

namespace sparsecfg::dialect::llmcompressor {

// Modifiers that a script makes, with the presets, enums and records of compressed-tensors.
extern const Objects kObjects;

}  // namespace sparsecfg::dialect::llmcompressor
