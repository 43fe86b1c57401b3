#pragma once

#include <map>
#include <string>

#include "cases.h"

namespace sparsecfg::truth {

// Returns the words of `inspect` for a recorded scheme: `w int4 group128 asym; in int8 token dynamic; out -` becomes
// `weights int4 in groups of 128, asymmetric; inputs int8 per token, dynamic`. Orders and observers are left out,
// because `inspect` does not show them. Returns an empty string if nothing is quantized.
[[nodiscard]] std::string scheme_words(const std::string& recorded);

// Returns the number of layers by scheme, from the lines `<scheme>: 14 layers` of `inspect --format json`.
[[nodiscard]] std::map<std::string, std::size_t> layers_by_scheme(const Json& lines);

}  // namespace sparsecfg::truth
