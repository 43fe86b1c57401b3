#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace sparsecfg::timeline {

using Json = nlohmann::ordered_json;

// Returns a number of the schedule as JSON: null for nullopt, "inf", "-inf" or "nan" (strings, as JSON has no
// such numbers) if it is not finite.
[[nodiscard]] Json json_number(const std::optional<double>& value);

}  // namespace sparsecfg::timeline
