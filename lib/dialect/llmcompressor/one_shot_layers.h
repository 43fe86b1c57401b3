#pragma once

#include <string>
#include <vector>

#include "model/selector.h"

namespace sparsecfg::dialect::llmcompressor {

// Converts the selector of a training pruner for a one-shot pruner, which selects layers by name or class and prunes
// their weights.
struct OneShotLayers {
  std::vector<std::string> targets;
  std::vector<std::string> ignored;
  std::vector<std::string> losses;  // reasons for parts of the selector that are not expressed
};

[[nodiscard]] OneShotLayers one_shot_layers(const model::Selector& selector);

}  // namespace sparsecfg::dialect::llmcompressor
