#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dialect/stages/table.h"

namespace sparsecfg::dialect::stages {

// The definitions for the JSON Schema of recipes of stages, made from a table: one for each modifier and each record
// within its fields, and `stages.group`, the mapping from names of modifiers to their fields. They refer to a
// definition `numberText` for strings that hold a number. `expressions`: whether any value may be a string with
// `eval(...)`.
[[nodiscard]] nlohmann::ordered_json schema_definitions(const Table& table, bool expressions);

}  // namespace sparsecfg::dialect::stages
