#include "dialect/llmcompressor/masks.h"

#include <charconv>

#include "base/text.h"

namespace sparsecfg::dialect::llmcompressor {

static std::optional<std::int64_t> count_of(std::string_view text) {
  text = base::trim(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<NOfM> read_mask(std::string_view text) {
  const std::size_t mark = text.find(':');
  if (mark == std::string_view::npos || text.find(':', mark + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  const auto n = count_of(text.substr(0, mark));
  const auto m = count_of(text.substr(mark + 1));
  return n && m ? std::optional(NOfM{*n, *m}) : std::nullopt;
}

}  // namespace sparsecfg::dialect::llmcompressor
