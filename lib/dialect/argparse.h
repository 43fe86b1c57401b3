#pragma once

#include <algorithm>
#include <span>
#include <string_view>

// Options as argparse of Python reads them.
namespace sparsecfg::dialect {

// Returns the option that argparse selects: by its full name, or by a prefix of only one name. Null if there is none.
template <typename Option>
[[nodiscard]] const Option* option_of_argparse(std::span<const Option> options, std::string_view name) {
  const auto same = std::ranges::find(options, name, &Option::name);
  if (same != options.end()) return &*same;
  const auto starts = [&](const Option& option) { return option.name.starts_with(name); };
  const auto first = std::ranges::find_if(options, starts);
  return std::ranges::count_if(options, starts) == 1 ? &*first : nullptr;
}

}  // namespace sparsecfg::dialect
