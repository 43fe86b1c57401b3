#pragma once

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// A module that an entry selects. Where the model is not known, what stands for some of its modules:
// a name without a type, or a type without a name.
struct Selected {
  std::string name;
  std::string type;
  bool of_model = true;

  // How messages call it: the root module has no name.
  [[nodiscard]] std::string shown() const;
};

// The modules of an entry by the rules of NNI 3.0 (reference 1.2), in the order of the model. Reports
// names that the model lacks and patterns that can't be compiled, which are refused, and what takes
// nothing. Where the model is not known, only what is wrong whatever it is.
[[nodiscard]] std::vector<Selected> select(Entry& entry, const Context& context);

}  // namespace sparsecfg::dialect::nni
