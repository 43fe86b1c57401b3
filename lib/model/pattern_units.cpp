#include "model/pattern_doubt.h"

#include <algorithm>

namespace sparsecfg::model {

// Returns the length of a set including its brackets. `]` as the first character belongs to the set.
static std::size_t length_of_set(std::string_view text) {
  std::size_t end = text.substr(1).starts_with('^') ? 2 : 1;
  end += text.substr(end).starts_with(']') ? 1 : 0;
  while (end < text.size() && text[end] != ']') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return std::min(text.size(), end + 1);
}

std::vector<std::string_view> pattern_units(std::string_view pattern) {
  std::vector<std::string_view> units;
  while (!pattern.empty()) {
    const std::size_t length = pattern.front() == '\\'  ? std::min<std::size_t>(2, pattern.size())
                               : pattern.front() == '[' ? length_of_set(pattern)
                                                        : 1;
    units.push_back(pattern.substr(0, length));
    pattern.remove_prefix(length);
  }
  return units;
}

std::vector<std::string> choices_of(const std::vector<std::string_view>& units) {
  std::vector<std::string> choices = {""};
  int depth = 0;
  for (const std::string_view unit : units) {
    depth += unit == "(" ? 1 : unit == ")" ? -1 : 0;
    if (unit == "|" && depth == 0) {
      choices.emplace_back();
    } else {
      choices.back() += unit;
    }
  }
  return choices;
}

}  // namespace sparsecfg::model
