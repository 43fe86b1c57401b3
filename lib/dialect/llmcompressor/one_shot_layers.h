#pragma once

#include <string>
#include <vector>

#include "ir/selector.h"

namespace sparsecfg::dialect::llmcompressor {

// What a pruner of training takes, for a pruner of one shot, which takes layers by name or class and prunes their
// weights.
struct OneShotLayers {
  std::vector<std::string> targets;
  std::vector<std::string> ignored;
  std::vector<std::string> losses;  // what they don't say of the selector, each as a reason
};

[[nodiscard]] OneShotLayers one_shot_layers(const ir::Selector& selector);

}  // namespace sparsecfg::dialect::llmcompressor
