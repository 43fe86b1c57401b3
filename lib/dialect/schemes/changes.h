#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/recipe.h"
#include "model/names.h"

// Differences between the schemes of two recipes.
namespace sparsecfg::dialect::schemes {

// Returns a line for each group that differs between two actions: "group_1  Linear  weights int4 -> int3, groups of
// 128 -> 64". Groups are paired by name, then by position.
[[nodiscard]] std::vector<std::string> group_changes(const ir::Origin& before, const ir::Origin& after);

// Average bits per weight before and after.
using BitsChange = std::pair<double, double>;

// Returns the bits per weight of the layers whose schemes differ between two recipes, or nullopt if no shape is known.
[[nodiscard]] std::optional<BitsChange> bits_change(const ir::Recipe& before, const ir::Recipe& after,
                                                    const std::vector<model::Module>& modules);

// Like above, for two actions without a model. Returns nullopt if several groups differ, or if the size depends on the
// shapes of the layers, as with a scale for each channel.
[[nodiscard]] std::optional<BitsChange> bits_change(const ir::Origin& before, const ir::Origin& after);

}  // namespace sparsecfg::dialect::schemes
