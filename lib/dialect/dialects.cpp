#include <algorithm>

#include "dialect/dialect.h"
#include "dialect/distiller/dialect.h"
#include "dialect/nni/dialect.h"
#include "dialect/schedule/dialect.h"
#include "dialect/sparseml/dialect.h"

namespace sparsecfg::dialect {

constexpr const Dialect* kDialects[] = {&schedule::kDialect, &nni::kDialect, &sparseml::kDialect, &distiller::kDialect};

std::span<const Dialect* const> dialects() { return kDialects; }

const Dialect* find_dialect(std::string_view name) {
  const auto* const found = std::ranges::find(kDialects, name, &Dialect::name);
  return found == std::end(kDialects) ? nullptr : *found;
}

}  // namespace sparsecfg::dialect
