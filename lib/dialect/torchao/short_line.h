#pragma once

#include <cstddef>
#include <string_view>

namespace sparsecfg::dialect::torchao {

// Returns true for a text on one line of at most `most` bytes, which a message can quote.
[[nodiscard]] constexpr bool is_short_line(std::string_view text, std::size_t most) {
  return text.size() <= most && text.find('\n') == std::string_view::npos;
}

}  // namespace sparsecfg::dialect::torchao
