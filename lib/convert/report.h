#pragma once

#include <string>

#include "convert/convert.h"

namespace sparsecfg::convert {

// One line for each action, then the notes and how many were kept and lost.
[[nodiscard]] std::string report_text(const Conversion& conversion, const Compilation& compilation);

// The same as a JSON object, format 1, with what there is to say of the recipe besides.
[[nodiscard]] std::string report_json(const Conversion& conversion, const Compilation& compilation,
                                      std::string_view to);

}  // namespace sparsecfg::convert
