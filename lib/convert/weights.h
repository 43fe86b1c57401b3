#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ir/recipe.h"
#include "timeline/run.h"

// The weights that two recipes are compared on.
namespace sparsecfg::convert {

inline constexpr std::string_view kWeightEnding = ".weight";

// A parameter that pruners may take.
struct Weight {
  std::string name;
  std::string type;                      // class of its module; empty: unknown
  const source::Shape* shape = nullptr;  // null: unknown
};

// Weights to compare two recipes on.
struct Weights {
  std::vector<Weight> all;
  // False: what a pattern of only one of the recipes takes besides another one is not known, because there are too many
  // patterns, because it takes too long to compare them, or because one of them is not regular; or there are so many
  // pruners that not every example is kept.
  bool complete = true;
};

// The parameters of the model; without a model examples.
[[nodiscard]] Weights weights_of(const ir::Recipe& recipe, const ir::Recipe& written, const timeline::Run& run,
                                 const std::vector<source::Module>* modules);

// For each selector of the two recipes an example of what it takes, and for each two of them an example of what both
// take and of what only one of them takes.
[[nodiscard]] Weights examples_of(const ir::Recipe& recipe, const ir::Recipe& written);

}  // namespace sparsecfg::convert
