#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::lsp {

// Replaces each half of a surrogate pair without the other half, and each byte that is not UTF-8, by U+FFFD. Editors
// send such halves when they split a character. The replacement has the same length in UTF-16, so positions stay right.
[[nodiscard]] std::string with_whole_characters(std::string_view json);

}  // namespace sparsecfg::lsp
