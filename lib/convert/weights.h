#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ir/recipe.h"
#include "timeline/run.h"

// Which pruners act on which weight.
namespace sparsecfg::convert {

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

// The parameters of the model. Without a model: for each selector of the two recipes an example of what it
// takes, and for each two of them an example of what both take and of what only one of them takes.
[[nodiscard]] Weights weights_of(const ir::Recipe& recipe, const ir::Recipe& written, const timeline::Run& run,
                                 const std::vector<source::Module>* modules);

// A target of an action that masks a weight.
struct Masker {
  std::size_t action = 0;
  std::size_t target = 0;
  bool certain = true;  // false: the type of the weight's module decides, which is unknown

  friend bool operator==(const Masker&, const Masker&) = default;
};

// For each weight the targets that mask it, in the order of the recipe's actions. Of one action only the first target
// that takes the weight does, and a level of 0 masks nothing.
using Maskers = std::vector<std::vector<Masker>>;

// Those of two recipes, which often have the same selectors.
[[nodiscard]] std::pair<Maskers, Maskers> maskers_of(const ir::Recipe& one, const ir::Recipe& other,
                                                     const std::vector<Weight>& weights);

// For each weight whether a selector takes it.
enum class Match : std::uint8_t { no, maybe, yes };
[[nodiscard]] std::vector<Match> matches_of(const ir::Selector& selector, const std::vector<Weight>& weights);

}  // namespace sparsecfg::convert
