#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::model {

// Returns why no framework has this name of a parameter or module, as a sentence that quotes the name; empty if one
// could have it. Frameworks build names of identifiers and numbers, and some of `/`, `:`, brackets and quotes.
[[nodiscard]] std::string fault_of_name(std::string_view name);

}  // namespace sparsecfg::model
