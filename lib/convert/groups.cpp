#include "convert/groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace sparsecfg::convert {

namespace {

// Weights that are ranked together, and the first action that does so.
struct Group {
  std::set<std::size_t> weights;
  std::size_t action = 0;
  bool global = false;  // one threshold for all; else the same structures of all
};

}  // namespace

static void add_matches(Group& group, const ir::Selector& selector, const std::vector<Weight>& weights) {
  const auto matches = matches_of(selector, weights);
  for (std::size_t at = 0; at < matches.size(); ++at) {
    if (matches[at] != Match::no) group.weights.insert(at);
  }
}

// Groups of one weight are none.
static std::vector<Group> groups_of(const ir::Recipe& recipe, const std::vector<Weight>& weights) {
  std::map<std::string, Group> found;
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const auto* prune = std::get_if<ir::Prune>(&recipe.actions[index].effect);
    if (prune == nullptr) {
      continue;
    }
    for (const ir::MaskGroup& group : prune->mask_groups) {
      Group& out = found.emplace("=" + group.name, Group{{}, index, false}).first->second;
      add_matches(out, group.selector, weights);
    }
    for (std::size_t target = 0; prune->global && target < prune->targets.size(); ++target) {
      const std::string pool = prune->pool.empty() ? fmt::format("#{}", index) : "." + prune->pool;
      Group& out = found.emplace(pool, Group{{}, index, true}).first->second;
      add_matches(out, prune->targets[target].selector, weights);
    }
  }
  std::vector<Group> out;
  for (auto& [name, group] : found) {
    if (group.weights.size() > 1) out.push_back(std::move(group));
  }
  return out;
}

static std::string text_of(const Group& group, const std::vector<Weight>& weights) {
  return fmt::format("`{}` and `{}`", base::printable(weights[*group.weights.begin()].name),
                     base::printable(weights[*std::next(group.weights.begin())].name));
}

std::vector<GroupDifference> different_groups(const ir::Recipe& recipe, const ir::Recipe& written,
                                              const std::vector<Weight>& weights) {
  const std::vector<Group> groups = groups_of(recipe, weights);
  const std::vector<Group> others = groups_of(written, weights);
  std::vector<GroupDifference> out;
  for (const Group& group : groups) {
    const bool same = std::ranges::any_of(others, [&](const Group& other) {
      return other.weights == group.weights && other.global == group.global;
    });
    if (!same) out.push_back({group.action, text_of(group, weights)});
  }
  return out;
}

}  // namespace sparsecfg::convert
