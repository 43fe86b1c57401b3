#pragma once

#include <string>
#include <unordered_map>
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
  [[nodiscard]] std::vector<ir::Scheme> of(const std::string& layer) const;

 private:
  const ir::Assign& assign_;
  ir::Decisions decisions_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> members_;  // indexes of the modules of each layer
};

}  // namespace sparsecfg::dialect::quantizers
