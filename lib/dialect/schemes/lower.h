#pragma once

#include <optional>
#include <vector>

#include "dialect/schemes/schemes.h"
#include "ir/effect.h"
#include "model/names.h"

namespace sparsecfg::dialect::schemes {

// Returns the terms of targets or ignored names. Skips patterns that Python can't compile.
[[nodiscard]] std::vector<model::Term> terms_of(const std::vector<Entry>& entries);

// Returns the effect of groups on the layers that they target. `place` is used for parts without a place;
// `modules` is null if the model is unknown. `cache` is the place of the scheme of the attention cache, if there is
// one.
[[nodiscard]] ir::Effect quantize(const std::vector<Group>& groups, const std::vector<Entry>& ignore,
                                  source::Span place, const std::vector<model::Module>* modules,
                                  std::optional<source::Span> cache = std::nullopt);

}  // namespace sparsecfg::dialect::schemes
