#pragma once

#include <optional>
#include <string_view>

#include "diag/sink.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::schemes {

// Offers to add a name to the list `ignore` of a modifier, or to add this list after its last field. Offers nothing for
// a modifier without fields.
void offer_to_ignore(diag::Diagnostic& report, std::string_view name, std::string_view modifier,
                     std::optional<source::Span> list, std::optional<source::Span> last_field);

// Advises to add a layer to the list `ignore` of a modifier. Offers no fix for a model that is already quantized.
void advise_to_ignore(diag::Diagnostic& report, const ir::Recipe& recipe, const ir::Origin& modifier,
                      std::string_view layer);

}  // namespace sparsecfg::dialect::schemes
