#pragma once

#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/sparseml/staged/table.h"
#include "doc/document.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml::staged {

// A top-level key that is neither a stage nor a group. Expressions can use it as a variable.
struct Argument {
  std::string name;
  source::Span key;
  source::Value value;
};

struct Layout {
  std::vector<Written> modifiers;  // in execution order
  std::vector<Argument> arguments;
};

// Finds the modifiers of a recipe (reference/sparseml.md B.9).
// Reports errors: groups outside a stage, stages and groups that are not mappings, modifiers without fields, keys that
// are not strings, and foreign tags. Reports what SparseML ignores: stages and groups with other names (SP106 if no
// modifiers are left, else SP108), and the first of two stages or modifiers with the same name (SP709, SP710).
[[nodiscard]] Layout find_modifiers(const doc::Document& document, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml::staged
