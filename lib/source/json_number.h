#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace sparsecfg::source {

// Returns a number as JSON: null for nullopt, and the strings "inf", "-inf" or "nan" for numbers that JSON can't
// represent.
[[nodiscard]] nlohmann::ordered_json json_number(const std::optional<double>& value);

}  // namespace sparsecfg::source
