#include "dialect/checkpoint/lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "dialect/quantizers/fused_layers.h"

namespace sparsecfg::dialect::checkpoint {

std::string list_of_names(emit::Syntax syntax, std::span<const std::string> names) {
  std::vector<std::string> written;
  for (const std::string& name : names) written.push_back(emit::literal(syntax, name));
  return fmt::format("[{}]", fmt::join(written, ", "));
}

std::string list_of_groups(emit::Syntax syntax, std::span<const std::string> names) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const std::string& name : names) {
    const std::string layer = quantizers::layer_of(name);
    auto group = std::ranges::find(groups, layer, &decltype(groups)::value_type::first);
    if (group == groups.end()) group = groups.insert(group, {layer, {}});
    group->second.push_back(name);
  }
  std::vector<std::string> texts;
  for (const auto& [layer, parts] : groups) texts.push_back(list_of_names(syntax, parts));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace sparsecfg::dialect::checkpoint
