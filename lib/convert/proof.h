#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialect/write.h"
#include "ir/recipe.h"
#include "source/names.h"
#include "timeline/run.h"

namespace sparsecfg::convert {

// How much the numbers of two runs differ at most, and where first by that much.
struct Difference {
  double max = 0;  // infinite where only one of them has a number
  std::uint64_t step = 0;

  void add(const std::optional<double>& one, const std::optional<double>& other, std::uint64_t at);
};

// How many elements or structures of a weight two runs remove at a step.
struct CountDifference {
  std::string weight;  // empty: no two counts differ
  std::uint64_t step = 0;
  std::uint64_t removed = 0;  // by the recipe that was read
  std::uint64_t written = 0;  // by what was written
  std::uint64_t units = 0;    // that the weight has

  // Returns true if nothing of the weight is left, where the recipe leaves something.
  [[nodiscard]] bool empties() const { return !weight.empty() && written == units && removed < units; }
};

// What the masks of one action are in the two runs, over all weights that it masks.
struct MaskComparison {
  Difference difference;
  bool compared = false;    // true if there was a weight or a linked target to compare
  std::string shared;       // a weight that other actions mask too and whose sparsity differs; empty: none
  std::size_t other = 0;    // one of those actions
  bool unmeasured = false;  // `shared` has masks without a number, which the two runs put together in other ways
  bool certain = true;      // false: whether the weights that differ are masked at all is not known
  CountDifference count;    // of structures
  std::string apart;        // weights that lose the same structures, or are ranked together, in only one of the runs
};

// What two evaluated runs say of each other.
struct Comparison {
  std::vector<MaskComparison> masks;  // by action of the recipe that was read
  Difference rate;                    // of all parameter groups
  Difference weight_decay;
  std::vector<std::string> unknown_names;  // columns of what was written that stand for nothing
  std::optional<std::uint64_t> stopped;    // the first step that was not compared: there are too many changes
  bool too_many_weights = false;           // true if no step was compared, because of the limits of weight_classes()
};

// Follows both runs from change to change and compares every row: the sparsity of each weight, and of each
// target as the statuses link them, the rates and the weight decays. The rates after the last step are no
// step's. The run of what is written begins where it says. `modules` may be null.
// Stops if the work is more than timeline::kMaxWork.
[[nodiscard]] Comparison compare(const ir::Recipe& recipe, const timeline::Run& run, const ir::Recipe& back,
                                 const timeline::Run& written_run, const dialect::Written& written,
                                 const std::vector<source::Module>* modules);

}  // namespace sparsecfg::convert
