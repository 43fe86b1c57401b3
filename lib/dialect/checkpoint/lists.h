#pragma once

#include <span>
#include <string>

#include "emit/literal.h"

// Text of lists of layers.
namespace sparsecfg::dialect::checkpoint {

// Returns a list of names.
[[nodiscard]] std::string list_of_names(emit::Syntax syntax, std::span<const std::string> names);

// Returns a list of groups, as `modules_in_block_to_quantize` has it. The parts of a layer that runtimes join, such as
// `q_proj`, `k_proj` and `v_proj`, have the same inputs, so they are one group.
[[nodiscard]] std::string list_of_groups(emit::Syntax syntax, std::span<const std::string> names);

}  // namespace sparsecfg::dialect::checkpoint
