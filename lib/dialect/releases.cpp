#include "dialect/releases.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::dialect {

// Releases of frameworks that cannot be chosen by a reader option.
struct FixedReleases {
  std::string_view dialect;
  std::string_view releases;
};

constexpr FixedReleases kFixedReleases[] = {{"sparseml", "0.1 to 1.8"}, {"distiller", "0.3.2 and its main branch"}};

// A reader option lists the newest release first, after the main branch. Other options, such as the runtime of a model,
// only list words.
std::string releases_of(const Dialect& dialect) {
  const auto* fixed = std::ranges::find(kFixedReleases, dialect.name, &FixedReleases::dialect);
  if (fixed != std::end(kFixedReleases)) return std::string(fixed->releases);
  if (dialect.options.empty()) return {};
  const auto values = dialect.options.front().values;
  const auto newest = std::ranges::find_if(values, [](std::string_view name) { return base::is_digit(name.front()); });
  return newest == values.end() ? std::string() : fmt::format("{} to {}", values.back(), *newest);
}

}  // namespace sparsecfg::dialect
