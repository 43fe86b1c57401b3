#pragma once

#include <string_view>

#include "dialect/dialect.h"

namespace sparsecfg::dialect {

// Which dialect a file is written in, told from its content; null where nothing fits.
[[nodiscard]] const Dialect* detect(const doc::Document& document);

// The same for a file that is no YAML: only words can tell.
[[nodiscard]] const Dialect* detect(std::string_view unreadable);

// The same for a Python script.
[[nodiscard]] const Dialect* detect_in_script(std::string_view script);

}  // namespace sparsecfg::dialect
