#pragma once

#include <string>

#include "source/value.h"

namespace sparsecfg::dialect::nni {

// A configuration in its canonical form: keys in the order of the tables and what they do not hold
// after them, the arguments of a class beside its name, shares as floats. Entries, targets and the
// items of lists stay in their order, which has a meaning.
[[nodiscard]] source::Value canonical(const source::Value& configuration);

// The canonical form as YAML.
[[nodiscard]] std::string print(const source::Value& configuration);

}  // namespace sparsecfg::dialect::nni
