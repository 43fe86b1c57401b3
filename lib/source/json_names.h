#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "source/names.h"

namespace sparsecfg::source {

// The parameters in a JSON text: a list of names, a mapping from names to shapes or to what holds
// one, or the index of sharded weights. Refused is a name twice in a mapping, since parsers disagree
// on which one counts, and nesting beyond reason.
[[nodiscard]] std::variant<Parameters, LoadError> read_json_names(std::string_view text);

}  // namespace sparsecfg::source
