#pragma once

#include <vector>

#include "dialect/llmcompressor/schemes.h"
#include "dialect/llmcompressor/versions.h"
#include "ir/recipe.h"
#include "model/names.h"

// From modifiers to the schedule.
namespace sparsecfg::dialect::llmcompressor {

// Returns the action of a modifier. It acts once, so the origin keeps all fields and the effect only the selectors.
// `modules` is null if the model is unknown. `emptied` are modules that lose their scheme to a later modifier.
[[nodiscard]] ir::Action lower(const Modifier& modifier, const std::vector<model::Module>* modules, Release release,
                               std::vector<Entry> emptied = {});

}  // namespace sparsecfg::dialect::llmcompressor
