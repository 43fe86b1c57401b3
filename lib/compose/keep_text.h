#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "ir/recipe.h"
#include "source/source_file.h"

// Composes recipes by edits of their texts, so that variables, expressions and comments are kept.
namespace sparsecfg::compose {

// A recipe before it is composed.
struct Part {
  const source::SourceFile* file = nullptr;
  std::vector<ir::Origin> origins;  // in document order
};

// Returns the parts of recipes without stages in YAML files of moderate size, or no parts if a recipe is another one.
[[nodiscard]] std::vector<Part> parts_of(std::span<Compilation* const> recipes);

// Returns the texts of all parts as stages, with the times of `composed`. Returns nullopt if a change has no place in
// the text. The caller compares the result with `composed`.
[[nodiscard]] std::optional<std::string> keep_text(const std::vector<Part>& parts, const ir::Recipe& composed);

// Returns true if the actions of both recipes have the same stages, classes and values.
[[nodiscard]] bool is_same(const ir::Recipe& one, const ir::Recipe& other);

}  // namespace sparsecfg::compose
