#pragma once

#include <vector>

#include "dialect/schemes/schemes.h"
#include "dialect/sparseml/staged/table.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::sparseml::staged {

// Lowers the modifiers of a recipe for trained models to operations, in order. A modifier may depend on earlier ones:
// GPTQ without a scheme quantizes the layers that an earlier modifier selects.
class OperationLowerer {
 public:
  // Returns what a valid modifier does to modules. Empty for modifiers of training, for quantization in the older
  // format, and for classes of the project.
  [[nodiscard]] std::vector<ir::Operation> lower(const Modifier& modifier, const ir::Origin& origin);

 private:
  [[nodiscard]] std::vector<ir::Operation> known_operations(const Modifier& modifier, const ir::Origin& origin);
  [[nodiscard]] std::vector<ir::Operation> quantize(const ir::Origin& origin, const ir::Method& method);
  [[nodiscard]] std::vector<ir::Operation> quantize_by_hessian(const Modifier& modifier, const ir::Origin& origin);

  bool quantized_ = false;               // true if an earlier modifier assigns schemes
  std::vector<schemes::Entry> ignored_;  // by this modifier
};

}  // namespace sparsecfg::dialect::sparseml::staged
