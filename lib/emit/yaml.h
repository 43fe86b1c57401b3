#pragma once

#include <optional>
#include <string>

#include "emit/node.h"

namespace sparsecfg::emit {

// The tree as a YAML document with a line feed at its end, the same for the same tree: mappings in
// blocks, lists of scalars in one line where they fit. Returns nullopt if it can't be written.
[[nodiscard]] std::optional<std::string> to_yaml(const Node& root);

}  // namespace sparsecfg::emit
