#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "source/value.h"

namespace sparsecfg::dialect {

// SparseML's readers. Each knows modifiers of its own and judges the same one by other rules.
enum class Framework : std::uint8_t {
  pytorch,
  keras,
  tensorflow,    // TensorFlow 1
  pytorch_2020,  // the releases of 2020, for recipes with a tag that only they know; nobody asks for it
};

// What the command line says about the reading of a recipe.
struct ReadOptions {
  std::vector<std::pair<std::string, source::Value>> variables;  // --set
  Framework framework = Framework::pytorch;                       // --framework
  std::optional<double> epochs;                                   // --epochs
  std::optional<std::size_t> steps_per_epoch;                     // --steps-per-epoch
};

}  // namespace sparsecfg::dialect
