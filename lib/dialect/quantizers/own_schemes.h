#pragma once

#include <vector>

#include "ir/operation.h"
#include "model/names.h"

namespace sparsecfg::dialect::quantizers {

// The schemes that a quantizer gives the modules, for comparisons with the layers of a runtime.
class OwnSchemes {
 public:
  OwnSchemes(const ir::Assign& assign, const std::vector<model::Module>& modules);

  // Returns the schemes of the modules that a layer joins, an empty scheme for those that are not quantized. Modules
  // that the quantizer does not examine are left out.
  [[nodiscard]] std::vector<ir::Scheme> of(const model::Module& layer) const;

 private:
  const ir::Assign& assign_;
  const std::vector<model::Module>& modules_;
  ir::Decisions decisions_;
};

}  // namespace sparsecfg::dialect::quantizers
