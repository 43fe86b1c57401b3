#pragma once

#include <string>
#include <variant>

#include "source/value.h"

namespace sparsecfg::create {

// A YAML or JSON mapping, or why the text is none.
[[nodiscard]] std::variant<source::Map, std::string> read_mapping(const std::string& text);

}  // namespace sparsecfg::create
