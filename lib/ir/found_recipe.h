#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/recipe.h"

namespace sparsecfg::ir {

// Lines of a recipe, from 1. In a notebook they count within the cell.
struct Lines {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::optional<std::uint32_t> cell{};  // index among all cells
};

// A recipe that was found in a file.
struct FoundRecipe {
  std::string form;  // "file", "front matter", "wrapper", "fence", "string", "objects", "script"
  Lines lines;
  std::string dialect;
  std::vector<std::string> unknown;      // why parts are not known without running a script
  std::set<source::Span> unknown_parts;  // their places
  std::vector<Origin> modifiers;
};

}  // namespace sparsecfg::ir
