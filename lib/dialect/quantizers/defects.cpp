#include "dialect/quantizers/defects.h"

#include <algorithm>

namespace sparsecfg::dialect::quantizers {

bool is_at_least(std::string_view first, const ReaderOption& option, const ReadOptions& options) {
  const auto found = std::ranges::find(option.values, first);
  return options.choice(option) <= static_cast<std::size_t>(found - option.values.begin());
}

bool has_defect(std::span<const Defect> rows, std::string_view rule, const ReaderOption& option,
                const ReadOptions& options) {
  const auto row = std::ranges::find(rows, rule, &Defect::rule);
  if (row == rows.end()) return true;
  return is_at_least(row->since, option, options) && (row->until.empty() || !is_at_least(row->until, option, options));
}

}  // namespace sparsecfg::dialect::quantizers
