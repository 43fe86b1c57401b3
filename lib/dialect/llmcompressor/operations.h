#pragma once

#include <vector>

#include "dialect/llmcompressor/schemes.h"
#include "dialect/llmcompressor/versions.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::llmcompressor {

// Returns what a modifier does to modules, in order. Without modules, default mappings have no entries. Empty for
// modifiers of training and for classes of the project.
[[nodiscard]] std::vector<ir::Operation> operations_of(const Modifier& modifier, const ir::Origin& origin,
                                                       const Modules* modules, Release release);

// A place of a `transform_config` at which a group of it rotates modules.
struct RotatedPlace {
  const source::Value& group;
  const source::Value& place;
};

[[nodiscard]] std::vector<RotatedPlace> rotated_places(const source::Value& config);

// The entries that select the modules of QuIPModifier.
struct RotatedEntries {
  Entries targets;
  Entries ignored;
};

// Returns those of a `transform_config`, which replaces the other fields, or else `targets` and `ignore`.
[[nodiscard]] RotatedEntries rotated_entries(const Modifier& modifier, const Quip& quip);

}  // namespace sparsecfg::dialect::llmcompressor
