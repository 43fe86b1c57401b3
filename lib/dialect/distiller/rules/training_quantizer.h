#pragma once

#include "diag/diagnostic.h"
#include "dialect/distiller/component.h"

namespace sparsecfg::dialect::distiller {

// Offers the class for quantization-aware training in place of a post-training quantizer, with the fields that both
// have under their new names.
void offer_training_quantizer(diag::Diagnostic& report, const Component& quantizer);

}  // namespace sparsecfg::dialect::distiller
