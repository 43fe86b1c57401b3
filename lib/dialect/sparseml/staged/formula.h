#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "ir/curve.h"
#include "python/value.h"

namespace sparsecfg::dialect::sparseml {

// Named constants of a `calc(...)` formula; nullopt if the field is not set. The formula is a function of the epoch,
// which it calls `index`.
using Constants = std::map<std::string, std::optional<double>, std::less<>>;
[[nodiscard]] std::variant<ir::Expression, python::ExpressionError> compile(std::string_view text,
                                                                            const Constants& constants);

}  // namespace sparsecfg::dialect::sparseml
