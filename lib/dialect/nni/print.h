#pragma once

#include <optional>
#include <string>

#include "dialect/nni/table.h"
#include "source/value.h"

namespace sparsecfg::dialect::nni {

// A configuration stored in a recipe, and the NNI release that reads it.
struct Kept {
  source::Value configuration;
  Release release = Release::v3_0;
};

// kept() stores a configuration in the metadata of a recipe. kept_in() reads it; nullopt if the metadata holds none.
[[nodiscard]] source::Value kept(source::Value configuration, Release release);
[[nodiscard]] std::optional<Kept> kept_in(const source::Value& metadata);

// Writes a configuration as canonical YAML: keys in table order followed by unknown keys, arguments beside the class
// name, ratios as floats. Keeps the order of entries, targets and list items, which is significant.
[[nodiscard]] std::string print(source::Value configuration);

}  // namespace sparsecfg::dialect::nni
