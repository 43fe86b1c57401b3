#pragma once

#include <optional>
#include <string_view>

#include "doc/document.h"
#include "source/source_file.h"

namespace sparsecfg::dialect {

// Which dialect a file is written in, told from its content: a tag that ends in `Modifier`, a
// key of the top level that contains `modifiers`, or a mapping under a key that ends in `_stage`
// is SparseML's. Nothing where nothing fits.
[[nodiscard]] std::optional<std::string_view> detect(const doc::Document& document);

// The same for a file that is no YAML: only words can tell.
[[nodiscard]] std::optional<std::string_view> detect(std::string_view unreadable);

}  // namespace sparsecfg::dialect
