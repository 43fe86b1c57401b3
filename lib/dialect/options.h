#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "source/names.h"
#include "source/value.h"

namespace sparsecfg::ir {
class ModelNames;
}

namespace sparsecfg::dialect {

// SparseML's readers. Each knows modifiers of its own and judges the same one by other rules.
enum class Framework : std::uint8_t {
  pytorch,
  keras,
  tensorflow,    // TensorFlow 1
  pytorch_2020,  // the releases of 2020, for recipes with a tag that only they know; nobody asks for it
};

// NNI's releases, which read the same list differently. 1.x has the pruner that counts epochs.
enum class NniRelease : std::uint8_t { v3_0, v2, v1 };

// What the command line says about the reading of a recipe.
struct ReadOptions {
  std::vector<std::pair<std::string, source::Value>> variables;  // --set
  Framework framework = Framework::pytorch;                      // --framework
  NniRelease nni = NniRelease::v3_0;                             // --nni
  std::shared_ptr<const std::vector<source::Module>> modules;    // --modules; null: unknown
  const ir::ModelNames* parameters = nullptr;                    // --params; null: unknown; must outlive the reading
  std::optional<double> epochs;                                  // --epochs
  std::optional<std::size_t> steps_per_epoch;                    // --steps-per-epoch
};

}  // namespace sparsecfg::dialect
