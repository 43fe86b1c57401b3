#pragma once

#include "dialect/distiller/component.h"
#include "ir/recipe.h"

// Files for post-training quantization, which another function of Distiller's loads: it looks for one
// component and at nothing behind it (reference/distiller.md A.5).
namespace sparsecfg::dialect::distiller {

// Whether a component is a quantizer for trained models and no policy runs a quantizer.
[[nodiscard]] bool is_post_training(const Value& file);

// Reads such a file; the recipe has no training and no timeline.
[[nodiscard]] ir::Recipe read_post_training(const Reading& reading);

}  // namespace sparsecfg::dialect::distiller
