#include "source/json_number.h"

#include <cmath>

#include "base/number.h"

namespace sparsecfg::source {

nlohmann::ordered_json json_number(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (!std::isfinite(*value)) return base::python_repr(*value);
  return *value;
}

}  // namespace sparsecfg::source
