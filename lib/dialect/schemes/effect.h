#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "architecture/derive.h"
#include "diag/sink.h"
#include "ir/recipe.h"
#include "model/names.h"

namespace sparsecfg::dialect::schemes {

// Returns what the schemes of a recipe do to the linear layers of a model and to its size:
// "224 of 225 Linear layers: weights int4 in groups of 128; lm_head stays 16-bit; 16.1 -> 5.7 GB". `layers` are those
// of `modules` with all tensors, or empty if only weights are known. Empty if the recipe sets no schemes.
[[nodiscard]] std::string effect_of(const ir::Recipe& recipe, const std::vector<model::Module>& modules,
                                    const std::vector<architecture::Layer>& layers);

// Offers to add a name to the list `ignore` of a modifier, or to add this list after its last field. Offers nothing for
// a modifier without fields.
void offer_to_ignore(diag::Diagnostic& report, std::string_view name, std::string_view modifier,
                     std::optional<source::Span> list, std::optional<source::Span> last_field);

// Reports targets that quantize a layer which shares its weight with another one (MD917).
void check_tied(const ir::Recipe& recipe, const std::vector<model::Module>& modules,
                const std::vector<architecture::Layer>& layers, diag::Sink& sink);

}  // namespace sparsecfg::dialect::schemes
