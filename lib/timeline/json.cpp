#include "timeline/json.h"

#include <cmath>

#include "base/number.h"

namespace sparsecfg::timeline {

Json json_number(const std::optional<double>& value) {
  if (!value) return nullptr;
  return std::isfinite(*value) ? Json(*value) : Json(base::python_repr(*value));
}

}  // namespace sparsecfg::timeline
