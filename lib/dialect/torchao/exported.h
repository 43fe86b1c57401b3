#pragma once

#include <string_view>

#include "dialect/quantizers/script_code.h"
#include "source/source_file.h"

// Names of torchao and torch in help lines.
namespace sparsecfg::dialect::torchao {

// Returns code that constructs configurations, granularities or types, as the script in a file can run it.
[[nodiscard]] quantizers::ScriptCode code_for(const source::SourceFile& file, std::string_view code);

}  // namespace sparsecfg::dialect::torchao
