#include "convert/weight_matcher.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace sparsecfg::convert {

namespace {

// Weights that are ranked together, and the first action that ranks them.
struct Group {
  std::vector<std::uint32_t> weights;  // indices, ascending
  std::size_t action = 0;
  bool global = false;  // true: all members share one threshold; false: all members keep the same structures
};

}  // namespace

static void add_matches(Group& group, const model::Selector& selector, const WeightMatcher& matcher) {
  for (const MatchedWeight& taken : matcher.weights_matched_by(selector)) group.weights.push_back(taken.weight);
}

// Returns the groups of two or more weights.
static std::vector<Group> groups_of(const ir::Recipe& recipe, const WeightMatcher& matcher) {
  std::map<std::string, Group> found;
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const auto* prune = std::get_if<ir::Prune>(&recipe.actions[index].effect);
    if (prune == nullptr) {
      continue;
    }
    for (const ir::MaskGroup& group : prune->mask_groups) {
      Group& out = found.emplace("=" + group.name, Group{{}, index, false}).first->second;
      add_matches(out, group.selector, matcher);
    }
    for (std::size_t target = 0; prune->global && target < prune->targets.size(); ++target) {
      const std::string pool = prune->pool.empty() ? fmt::format("#{}", index) : "." + prune->pool;
      Group& out = found.emplace(pool, Group{{}, index, true}).first->second;
      add_matches(out, prune->targets[target].selector, matcher);
    }
  }
  std::vector<Group> out;
  for (auto& [name, group] : found) {
    std::ranges::sort(group.weights);
    group.weights.erase(std::unique(group.weights.begin(), group.weights.end()), group.weights.end());
    if (group.weights.size() > 1) out.push_back(std::move(group));
  }
  return out;
}

static std::string text_of(const Group& group, const std::vector<Weight>& weights) {
  return fmt::format("`{}` and `{}`", base::printable(weights[group.weights[0]].name),
                     base::printable(weights[group.weights[1]].name));
}

std::vector<GroupDifference> different_groups(const ir::Recipe& recipe, const ir::Recipe& written,
                                              const WeightMatcher& matcher) {
  std::set<std::pair<std::vector<std::uint32_t>, bool>> others;
  for (Group& group : groups_of(written, matcher)) others.emplace(std::move(group.weights), group.global);
  std::vector<GroupDifference> out;
  for (const Group& group : groups_of(recipe, matcher)) {
    if (!others.contains({group.weights, group.global}))
      out.push_back({group.action, text_of(group, matcher.weights())});
  }
  return out;
}

}  // namespace sparsecfg::convert
