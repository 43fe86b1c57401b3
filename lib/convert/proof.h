#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialect/write.h"
#include "ir/recipe.h"
#include "timeline/run.h"

namespace sparsecfg::convert {

// How much the numbers of two runs differ at most, and where first by that much.
struct Difference {
  double max = 0;  // infinite where only one of them has a number
  std::uint64_t step = 0;

  void add(const std::optional<double>& one, const std::optional<double>& other, std::uint64_t at);
};

// What two evaluated runs say of each other.
struct Comparison {
  std::vector<Difference> sparsities;  // by action of the recipe that was read
  Difference rate;                     // of all parameter groups
  Difference weight_decay;
  std::vector<std::string> unknown_names;  // columns of what was written that stand for nothing
  std::optional<std::uint64_t> stopped;    // the first step that was not compared: there are too many changes
};

// Follows both runs from change to change and compares every row: the sparsities as the fates link
// them, the rates and the weight decays. The rates after the last step are no step's. The run of what
// is written begins where it says. Stops where the work is more than timeline::kMaxWork.
[[nodiscard]] Comparison compare(const ir::Recipe& recipe, const timeline::Run& run, const ir::Recipe& back,
                                 const timeline::Run& written_run, const dialect::Written& written);

}  // namespace sparsecfg::convert
