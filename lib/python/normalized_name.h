#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::python {

// Returns a name of an expression as Python reads it: in the normalization form NFKC, which replaces ligatures, wide
// letters and other variants by ASCII letters. Does not compose letters and accents.
[[nodiscard]] std::string normalized_name(std::string_view name);

}  // namespace sparsecfg::python
