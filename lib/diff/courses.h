#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/recipe.h"
#include "source/names.h"
#include "timeline/run.h"

// What two recipes do at every step, side by side.
namespace sparsecfg::diff {

// Where two courses of a number part. Differences in the last digits are none.
struct Parting {
  std::uint64_t first = 0;       // the first step at which they differ
  std::uint64_t at = 0;          // the step at which they differ most
  double most = 0;               // by how much; infinite where only one of them has a number
  std::optional<double> before;  // what they are there
  std::optional<double> after;

  // What both are at a step; to be called for each step at which one of them changes, in order.
  static void add(std::optional<Parting>& parting, const std::optional<double>& before,
                  const std::optional<double>& after, std::uint64_t step);
};

// Weights that the same actions of both recipes mask.
struct Masked {
  std::vector<std::size_t> before;  // actions, in document order; none: only the other recipe masks them
  std::vector<std::size_t> after;
  std::vector<std::string> weights;
  std::optional<Parting> parting;  // nullopt: the same sparsity at every step
  bool unmeasured = false;         // true if one of them depends on what the weights are
};

struct Courses {
  std::vector<Masked> masked;
  std::optional<Parting> rate;
  std::optional<Parting> weight_decay;
  std::size_t weights = 0;               // that were looked at
  bool all_patterns = true;              // false: what some patterns match is not known; see convert::Weights
  std::optional<std::uint64_t> stopped;  // the first step that was not compared: there are too many changes
  bool too_many_weights = false;         // true if no step was compared, because of the limits of weight_classes()
};

// Follows both runs from change to change. Without the parameters of a model the weights are examples of what the
// selectors take. Rates after the end of the shorter run are not compared. `modules` may be null.
[[nodiscard]] Courses follow(const ir::Recipe& before, const timeline::Run& run, const ir::Recipe& after,
                             const timeline::Run& other_run, const std::vector<source::Module>* modules);

}  // namespace sparsecfg::diff
