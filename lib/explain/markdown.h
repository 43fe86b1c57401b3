#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::explain {

// Escapes the characters that Markdown would interpret, except in code spans.
[[nodiscard]] std::string markdown_text(std::string_view text);

}  // namespace sparsecfg::explain
