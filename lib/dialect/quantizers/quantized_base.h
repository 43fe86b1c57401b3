#pragma once

#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "source/span.h"

namespace sparsecfg::dialect::quantizers {

// Reports a model that is already quantized and that a quantizer cannot quantize again (MD929). `dialect` and `called`
// name the dialect of the recipe and the class of its first element, `method` the `quant_method` of the model.
void check_base(std::string_view dialect, std::string_view called, std::string_view method, const ReadOptions& options,
                source::Span place, diag::Sink& sink);

}  // namespace sparsecfg::dialect::quantizers
