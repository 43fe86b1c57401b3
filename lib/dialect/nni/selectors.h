#pragma once

#include <string>
#include <vector>

#include "model/selector.h"
#include "source/span.h"
#include "source/value.h"

namespace sparsecfg::dialect::nni {

// The lists of an entry that select modules, or those that exclude modules.
struct Selectors {
  using Texts = std::vector<source::Located<std::string>>;
  Texts types;     // `op_types`
  Texts names;     // `op_names`
  Texts patterns;  // `op_names_re`, since NNI 3.0
  Texts parts;     // `op_partial_names`, up to NNI 2.x

  [[nodiscard]] bool by_name() const { return !names.empty() || !patterns.empty() || !parts.empty(); }

  // Returns a selector of the modules with one of the names, of any type. A part matches anywhere in a name.
  [[nodiscard]] model::Selector named() const;
};

// Returns the lists of an entry without a prefix, and those with the prefix `exclude_`.
[[nodiscard]] Selectors selectors_of(const source::Map& entry);
[[nodiscard]] Selectors exclusions_of(const source::Map& entry);

}  // namespace sparsecfg::dialect::nni
