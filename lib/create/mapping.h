#pragma once

#include <string>
#include <variant>

#include "source/value.h"

namespace sparsecfg::create {

// Parses a YAML or JSON mapping. Returns an error message if the text is not a mapping.
[[nodiscard]] std::variant<source::Map, std::string> read_mapping(const std::string& text);

}  // namespace sparsecfg::create
