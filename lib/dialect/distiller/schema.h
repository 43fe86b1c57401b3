#pragma once

#include <string>

namespace sparsecfg::dialect::distiller {

// A JSON Schema (draft 7) of schedules, made from the tables, with a line feed at its end. It refuses
// nothing that Distiller takes, and can't see all that Distiller refuses.
[[nodiscard]] std::string schema();

}  // namespace sparsecfg::dialect::distiller
