#include "model/selector.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::model {

bool looks_like_pattern(std::string_view text) {
  static constexpr std::string_view kSpecial = "*+?[](){}|^$\\";
  return std::ranges::any_of(text, [](char c) {
    return !base::is_letter(c) && !base::is_digit(c) && c != '.' && c != '_' && kSpecial.find(c) != kSpecial.npos;
  });
}

bool looks_like_type(std::string_view text) {
  return !text.empty() && text.front() >= 'A' && text.front() <= 'Z' && text.find('.') == std::string_view::npos;
}

}  // namespace sparsecfg::model
