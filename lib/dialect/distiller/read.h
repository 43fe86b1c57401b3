#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::distiller {

// Reads a schedule as Distiller's loader reads it: sections of components, and policies that say when
// they act. A file whose quantizer is for a trained model, and which schedules no quantizer, is read
// as the other loader does, for that component alone. Reports everything that Distiller would refuse, or
// stop at, or drop.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::distiller
