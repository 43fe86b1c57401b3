#include "difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace sparsecfg::golden {

using Lines = std::vector<std::string_view>;

static Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

static std::string prefixed(char sign, std::span<const std::string_view> lines) {
  std::string out;
  for (const std::string_view line : lines) {
    out += fmt::format("{}{}\n", sign, line);
  }
  return out;
}

std::string difference(std::string_view name, std::string_view expected, std::string_view got) {
  if (expected == got) {
    return "";
  }
  const Lines before = split(expected);
  const Lines after = split(got);
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(before, after).in1 - before.begin());
  const std::size_t max = std::min(before.size(), after.size()) - same;
  std::size_t tail = 0;
  while (tail < max && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  const std::size_t lead = std::min<std::size_t>(3, same);
  const std::size_t trail = std::min<std::size_t>(3, tail);
  const std::span old_lines(before);
  const std::span new_lines(after);
  return fmt::format("--- {0}\n+++ {0} as printed now\n@@ -{1} +{1} @@\n", name, same + 1 - lead) +
         prefixed(' ', old_lines.subspan(same - lead, lead)) +
         prefixed('-', old_lines.subspan(same, before.size() - tail - same)) +
         prefixed('+', new_lines.subspan(same, after.size() - tail - same)) +
         prefixed(' ', old_lines.subspan(before.size() - tail, trail));
}

}  // namespace sparsecfg::golden
