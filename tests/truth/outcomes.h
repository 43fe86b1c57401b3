#pragma once

#include <map>
#include <string>

#include "commands.h"

namespace sparsecfg::truth {

// Returns the recorded outcome by name. A name may contain sets of numbers: `layers.{0-3,7}`.
[[nodiscard]] std::map<std::string, std::string> recorded_outcome(const Json& outcome);

// Returns the scheme of a printed outcome in the form of the record: "int4/128" for integers of 4 bits in groups of
// 128, "int8/-+8" with inputs of 8 bits. "-": not quantized.
[[nodiscard]] std::string scheme_text(const Json& outcome);

// Returns true if a scheme is the recorded one. "?" in the record means any value.
[[nodiscard]] bool is_recorded(const std::string& scheme, const std::string& recorded);

}  // namespace sparsecfg::truth
