#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "source/value.h"

namespace sparsecfg::dialect {

// What the command line says about the reading of a recipe.
struct ReadOptions {
  std::vector<std::pair<std::string, source::Value>> variables;  // --set
  std::optional<double> epochs;                                   // --epochs
  std::optional<std::size_t> steps_per_epoch;                     // --steps-per-epoch
};

}  // namespace sparsecfg::dialect
