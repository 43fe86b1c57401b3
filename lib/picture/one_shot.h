#pragma once

#include <string>

#include "ir/one_shot.h"
#include "ir/recipe.h"
#include "picture/drawing.h"
#include "source/source_file.h"

// Pictures of recipes that are applied to a trained model.
namespace sparsecfg::picture {

// Draws the modifiers in their order, and the size of each kind of layers before and after.
[[nodiscard]] Drawn draw_one_shot_body(const ir::Recipe& recipe, const ir::OneShot& one_shot, const std::string& title,
                                       const Layout& layout);

// Returns "2 modifiers in this order; requires a dataset".
[[nodiscard]] std::string one_shot_caption(const ir::Recipe& recipe);

// Returns a description of the picture in sentences, for screen readers.
[[nodiscard]] std::string describe_one_shot(const ir::Recipe& recipe, const ir::OneShot& one_shot);

// Returns HTML tables of the modifiers, and of the sizes of layers.
[[nodiscard]] std::string one_shot_tables(const ir::Recipe& recipe, const ir::OneShot& one_shot,
                                          const source::SourceFile& file);

}  // namespace sparsecfg::picture
