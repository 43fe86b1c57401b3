#pragma once

#include <map>
#include <string>
#include <vector>

#include "dialect/compressed_tensors/config.h"
#include "model/model_names.h"

namespace sparsecfg::dialect::compressed_tensors {

// Tensors that differ between the file and the weights.
struct TensorDifferences {
  struct Shapes {
    model::Shape found;
    model::Shape wanted;
  };

  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  std::map<std::string, Shapes> shapes;
};

// Returns the modules that tensors belong to, with the classes that their names suggest.
[[nodiscard]] Modules modules_of(const model::ModelNames& tensors);

// Compares the tensors that the groups require with those of the weights.
[[nodiscard]] TensorDifferences differences_of(const Config& config, const Modules& modules,
                                               const model::ModelNames& tensors);

// Reports the differences (CT301 to CT304).
void check_weights(const Context& context, const Config& config, const model::ModelNames& tensors);

}  // namespace sparsecfg::dialect::compressed_tensors
