#pragma once

#include "dialect/dialect.h"
#include "dialect/spec.h"

namespace sparsecfg::dialect {

// What a row of a table says of its field.
[[nodiscard]] FieldPage page_of(const FieldSpec& field);
[[nodiscard]] std::vector<FieldPage> pages_of(std::span<const FieldSpec> fields);

}  // namespace sparsecfg::dialect
