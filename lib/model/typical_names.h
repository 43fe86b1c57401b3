#pragma once

#include <string_view>

namespace sparsecfg::model {

// Returns true for the last part of names of layers in typical models, such as `q_proj`, if it is not the whole name of
// a layer in any of them.
[[nodiscard]] bool is_inner_layer(std::string_view name);

// Returns true for the layer that a class of transformers for one task adds to a model, such as `classifier`.
[[nodiscard]] bool is_head_of_task(std::string_view name);

// Returns true for the last part of the name of a tensor of a batch norm that is no parameter, such as `running_mean`.
[[nodiscard]] bool is_buffer_of_norm(std::string_view last_part);

}  // namespace sparsecfg::model
