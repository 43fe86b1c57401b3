#pragma once

#include <optional>
#include <string>

#include "dialect/nni/table.h"
#include "source/value.h"

namespace sparsecfg::dialect::nni {

// A configuration as a recipe keeps it, with the release that reads it; and what is kept, or nothing
// where it is something else.
struct Kept {
  source::Value configuration;
  Release release = Release::v3_0;
};

[[nodiscard]] source::Value kept(source::Value configuration, Release release);
[[nodiscard]] std::optional<Kept> kept_in(const source::Value& metadata);

// A configuration as YAML in its canonical form: keys in the order of the tables and what they do not hold
// after them, the arguments of a class beside its name, shares as floats. Entries, targets and the
// items of lists stay in their order, which has a meaning.
[[nodiscard]] std::string print(source::Value configuration);

}  // namespace sparsecfg::dialect::nni
