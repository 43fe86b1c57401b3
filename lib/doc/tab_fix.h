#pragma once

#include <cstdint>
#include <string_view>

#include "diag/fix.h"

namespace sparsecfg::doc {

// Spaces for the tabs that lines are indented with. Where nothing else indents a line each tab becomes two
// of them; beside spaces it is not known how deep a tab goes, so a line with tabs is moved to where the
// one before it begins, and that is a guess. No fix where the tab at `at` indents nothing.
[[nodiscard]] diag::Fix spaces_for_tabs(std::string_view text, std::uint32_t at);

}  // namespace sparsecfg::doc
