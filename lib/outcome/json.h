#pragma once

#include <nlohmann/json_fwd.hpp>

#include "outcome/outcome.h"
#include "source/source_file.h"

namespace sparsecfg::outcome {

// Returns the outcome of one name for `match --format json`; null if nothing changes the module. `file` has the rules.
[[nodiscard]] nlohmann::ordered_json json_of(const Outcome& outcome, std::size_t name, const source::SourceFile& file);

}  // namespace sparsecfg::outcome
