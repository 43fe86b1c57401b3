#pragma once

#include <string>
#include <vector>

#include "ir/recipe.h"

namespace sparsecfg::ir {

// A recipe as a program that loads the compressed model reads it.
struct RuntimeLayers {
  std::string runtime;  // "vLLM 0.30"
  Recipe recipe{};      // its units are the layers of the program, which may join several modules
  std::vector<std::vector<std::string>> modules{};  // the modules that each layer joins; of experts those that decide
  bool complete = true;                             // false, and no layers, if matching all of them would be too slow
};

}  // namespace sparsecfg::ir
