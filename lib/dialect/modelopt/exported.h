#pragma once

#include <string>
#include <string_view>

#include "dialect/modelopt/library.h"
#include "python/imported_names.h"
#include "source/source_file.h"
#include "source/span.h"

// Names of ModelOpt in help lines.
namespace sparsecfg::dialect::modelopt {

// Returns code with functions and presets of ModelOpt as a script can run it, in backticks and with the imports that
// the script lacks. `imported`: those that it has. The code has the usual aliases of the modules:
// `mtq.FP8_DEFAULT_CFG`, `mts.export(model)`.
[[nodiscard]] std::string shown_code(const python::ImportedNames& imported, std::string_view code);

// Returns the constant that a script names at a place, such as `mtq.FP8_DEFAULT_CFG`; null for other texts.
[[nodiscard]] const Constant* constant_at(const source::SourceFile& file, source::Span place);

}  // namespace sparsecfg::dialect::modelopt
