#pragma once

#include "diag/sink.h"
#include "dialect/sparseml/read/modifier.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml {

// Checks a field's value by its row of the table: type, choices and bounds. Reports what the
// framework refuses or fails on and marks such a field as not sound.
void check_value(const source::SourceFile& file, const Modifier& modifier, Field& field, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
