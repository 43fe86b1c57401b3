#pragma once

#include <string>

#include "convert/convert.h"

namespace sparsecfg::convert {

// Returns a line for each action, then the notes and the number of actions with each result.
[[nodiscard]] std::string report_text(const Conversion& conversion, const Compilation& compilation);

// Returns the same report as a JSON object (format 1), with the diagnostics of the recipe.
[[nodiscard]] std::string report_json(const Conversion& conversion, const Compilation& compilation,
                                      std::string_view to);

}  // namespace sparsecfg::convert
