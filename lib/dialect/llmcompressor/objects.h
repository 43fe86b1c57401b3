#pragma once

#include "dialect/llmcompressor/release.h"
#include "dialect/objects.h"

namespace sparsecfg::dialect::llmcompressor {

// Returns the modifiers with the values that compressed-tensors derives.
[[nodiscard]] std::vector<ir::Origin> constructed_origins(const ir::Recipe& recipe, const Constructed& constructed);

// Modifiers that a script makes, with the presets, enums and records of compressed-tensors.
extern const Objects kObjects;

// Reports elements of a recipe that are wrong because they are objects (LC111, LC601, LC602).
void check_elements(const std::vector<script::Ref>& elements, diag::Sink& sink);

// Reports imports and calls of a script that fail (LC111 to LC114).
void check_script(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::llmcompressor
