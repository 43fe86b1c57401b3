#pragma once

#include <string>
#include <string_view>

// Names of ModelOpt in help lines.
namespace sparsecfg::dialect::modelopt {

// Returns code with functions and presets of ModelOpt as a script can run it, in backticks and with the imports that
// the script lacks. The code has the usual aliases of the modules: `mtq.FP8_DEFAULT_CFG`, `mts.export(model)`.
[[nodiscard]] std::string shown_code(std::string_view script, std::string_view code);

}  // namespace sparsecfg::dialect::modelopt
