#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/number.h"

namespace sparsecfg::source {

// Returns a number as JSON: null for nullopt, and the strings "inf", "-inf" or "nan" for numbers that JSON can't
// represent.
[[nodiscard]] inline nlohmann::ordered_json json_number(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (!std::isfinite(*value)) return base::python_repr(*value);
  return *value;
}

}  // namespace sparsecfg::source
