#pragma once

#include <string_view>

namespace sparsecfg::model {

// Returns true for Linear and the classes derived from it.
[[nodiscard]] bool is_linear_class(std::string_view type);

// Returns true for the same classes without the output projection of attention in torch. Its kernels read the weight
// itself, so torchao skips it.
[[nodiscard]] bool is_quantizable_linear_class(std::string_view type);

}  // namespace sparsecfg::model
