#pragma once

#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/sparseml/staged/table.h"
#include "doc/document.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml::staged {

// A key of the top level that is neither a stage nor a group: expressions can name it.
struct Argument {
  std::string name;
  source::Span key;
  source::Value value;
};

struct Layout {
  std::vector<Written> modifiers;  // in the order in which they act
  std::vector<Argument> arguments;
};

// Finds the modifiers of a recipe (reference/sparseml.md B.9). Reports what stops SparseML here:
// groups outside a stage, stages and groups that are not mappings, modifiers without fields, keys
// that are not strings, foreign tags; and what it drops: stages and groups by another name (SP106 if
// nothing is left, else SP108), the first of two stages or modifiers of one name (SP709, SP710).
[[nodiscard]] Layout find_modifiers(const doc::Document& document, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml::staged
