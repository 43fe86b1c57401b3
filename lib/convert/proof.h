#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialect/write.h"
#include "ir/recipe.h"
#include "model/names.h"
#include "timeline/run.h"

namespace sparsecfg::convert {

// The largest difference between the numbers of two runs, and the first step that has it.
struct Difference {
  double max = 0;  // infinite if only one run has a number
  std::uint64_t step = 0;
  bool limit = false;    // true if the difference may be smaller than `max`
  bool unknown = false;  // true if it may be larger than `max`, because shapes of weights are unknown

  void add(const std::optional<double>& one, const std::optional<double>& other, std::uint64_t at);
};

// The numbers of elements or structures of a weight that two runs remove at a step.
struct CountDifference {
  std::string weight;  // empty: all counts are equal
  std::uint64_t step = 0;
  std::uint64_t removed = 0;  // by the source recipe
  std::uint64_t written = 0;  // by the converted recipe
  std::uint64_t units = 0;    // in the weight

  // Returns true if the converted recipe removes the whole weight and the source recipe does not.
  [[nodiscard]] bool empties() const { return !weight.empty() && written == units && removed < units; }
};

// Compares the masks of one action in both runs, over all weights that it masks.
struct MaskComparison {
  Difference difference;
  bool compared = false;    // true if there was a weight or a linked target to compare
  std::string shared;       // a weight with a different sparsity that other actions also mask; empty: none
  std::size_t other = 0;    // one of those actions
  bool unmeasured = false;  // true if the runs combine masks of `shared` whose sparsity is unknown by different rules
  bool certain = true;      // false: the different weights may not be masked at all
  CountDifference count;    // of structures
  Difference counted;       // of the removed structures, as fractions of all
  std::string apart;        // weights that are ranked together, or lose the same structures, in only one run
};

// The result of comparing two runs.
struct Comparison {
  std::vector<MaskComparison> masks;  // by action of the source recipe
  Difference rate;                    // of all parameter groups
  Difference weight_decay;
  std::vector<std::string> unknown_names;  // columns of the converted recipe without a source
  std::optional<std::uint64_t> stopped;    // first step that was not compared, after too many changes
  bool too_many_weights = false;           // true if weight_classes() exceeded its limits, so no step was compared
};

// Evaluates both runs at every change and compares the sparsity of each weight and of each linked target, the learning
// rates and the weight decays. Rates after the last step are ignored. `written.begin` is the first step of
// `written_run`. `modules` may be null. Stops if the work exceeds timeline::kMaxWork.
[[nodiscard]] Comparison compare(const ir::Recipe& recipe, const timeline::Run& run, const ir::Recipe& back,
                                 const timeline::Run& written_run, const dialect::WriteResult& written,
                                 const std::vector<model::Module>* modules);

}  // namespace sparsecfg::convert
