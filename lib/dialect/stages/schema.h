#pragma once

#include <nlohmann/json_fwd.hpp>

namespace sparsecfg::dialect::stages {

// The definitions for the JSON Schema of newer recipes, made from the table: one for each modifier,
// and `core.group`, the mapping from names of modifiers to their fields. They refer to a definition
// `numberText` for texts that hold a number.
[[nodiscard]] nlohmann::ordered_json schema_definitions();

}  // namespace sparsecfg::dialect::stages
