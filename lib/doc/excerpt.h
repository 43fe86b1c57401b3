#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::doc {

// As much of a text as a message can quote.
[[nodiscard]] inline std::string excerpt(std::string_view text) {
  constexpr std::size_t kMaxLength = 40;
  if (text.size() <= kMaxLength) {
    return std::string(text);
  }
  std::size_t end = kMaxLength;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace sparsecfg::doc
