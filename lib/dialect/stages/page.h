#pragma once

#include "dialect/dialect.h"
#include "dialect/stages/table.h"

namespace sparsecfg::dialect::stages {

// The manual pages of the modifiers of a table; `reader` says whose they are.
[[nodiscard]] std::vector<Page> pages(const Table& table, std::string_view reader);
// That of a record within a field.
[[nodiscard]] Page page_of(const RecordSpec& record, std::string_view reader, std::string_view doc);

}  // namespace sparsecfg::dialect::stages
