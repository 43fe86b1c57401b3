#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ir/recipe.h"
#include "model/names.h"
#include "timeline/run.h"

// Selects the weights on which two recipes are compared.
namespace sparsecfg::convert {

using model::kWeightEnding;

// A parameter that pruners can select.
struct Weight {
  std::string name;
  std::string type;                     // class of the module; empty: unknown
  const model::Shape* shape = nullptr;  // null: unknown
};

// The weights on which two recipes are compared.
struct Weights {
  std::vector<Weight> all;
  // False if the examples may miss a difference between patterns. Reasons: too many patterns, a comparison that exceeds
  // its budget, a pattern that is not a regular language, or too many pruners to keep every example.
  bool complete = true;
};

// Returns the parameters of the model, or examples if the model is unknown.
[[nodiscard]] Weights weights_of(const ir::Recipe& recipe, const ir::Recipe& written, const timeline::Run& run,
                                 const std::vector<model::Module>* modules);

// Returns an example name for each selector of both recipes. For each pair of selectors it adds a name that both match
// and a name that only one of them matches.
[[nodiscard]] Weights examples_of(const ir::Recipe& recipe, const ir::Recipe& written);

}  // namespace sparsecfg::convert
