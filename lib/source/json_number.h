#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace sparsecfg::source {

// Returns a number as JSON: null for nullopt, "inf", "-inf" or "nan" (strings, as JSON has no
// such numbers) if it is not finite.
[[nodiscard]] nlohmann::ordered_json json_number(const std::optional<double>& value);

}  // namespace sparsecfg::source
