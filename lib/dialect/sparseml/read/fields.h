#pragma once

#include <optional>

#include "dialect/sparseml/read/layout.h"
#include "dialect/sparseml/read/modifier.h"
#include "dialect/sparseml/read/variables.h"

namespace sparsecfg::dialect::sparseml {

// What reading a modifier needs to know.
struct Reading {
  const source::SourceFile& file;
  const doc::Document& document;
  Variables& variables;
  Framework framework;
  diag::Sink& sink;
};

// Reads an item of a group as the modifier that its tag names and checks every field by its row
// of the table: known, given where required, of the right type and within its bounds. Nothing
// where the item is no modifier that SparseML knows; that is then reported.
[[nodiscard]] std::optional<Modifier> read_modifier(const Reading& reading, doc::NodeId item, const Group& group,
                                                    int ordinal);

}  // namespace sparsecfg::dialect::sparseml
