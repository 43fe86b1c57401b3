#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::golden {

// How `got` differs from `expected`, laid out like a unified diff with one hunk from the first
// line that differs to the last; empty where nothing does.
[[nodiscard]] std::string difference(std::string_view name, std::string_view expected, std::string_view got);

}  // namespace sparsecfg::golden
