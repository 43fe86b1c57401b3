#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::base {

// What changes from one text to another as `diff -u` shows it, with three lines around each change.
// Empty where nothing changes.
[[nodiscard]] std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace sparsecfg::base
