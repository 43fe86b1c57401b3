#include "convert/weight_classes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/limits.h"

namespace sparsecfg::convert {

// Returns true if a target of a pruner sets a mask. A level of 0 sets none.
static bool masks(const ir::Effect& effect, std::size_t target) {
  const auto* prune = std::get_if<ir::Prune>(&effect);
  return prune == nullptr || !std::holds_alternative<ir::Constant>(prune->curve) ||
         prune->targets[target].sparsity.value != 0;
}

// Groups weights by the targets that mask them. The lists of maskers are paths in a tree and share common prefixes, so
// a thousand pruners of the whole model need only a thousand nodes.
class Classes {
 public:
  explicit Classes(const WeightMatcher& matcher)
      : matcher_(matcher), node_of_(matcher.weights().size(), 0), last_(matcher.weights().size(), 0) {}

  // Adds the maskers of a recipe. Returns false if there are too many.
  bool add(const ir::Recipe& recipe, const std::vector<bool>& skipped) {
    first_of_last_ = nodes_.size();
    for (std::size_t action = 0; action < recipe.actions.size(); ++action) {
      const bool is_skipped = action < skipped.size() && skipped[action];
      if (!is_skipped && !add(recipe.actions[action].effect, static_cast<std::uint32_t>(action))) return false;
    }
    return true;
  }

  std::optional<std::vector<WeightClass>> take() {
    std::vector<WeightClass> out;
    std::unordered_map<std::uint32_t, std::size_t> places;
    std::size_t maskers = 0;
    for (std::size_t weight = 0; weight < node_of_.size(); ++weight) {
      const std::uint32_t node = node_of_[weight];
      if (node == 0) continue;
      const auto [place, is_new] = places.emplace(node, out.size());
      if (is_new) out.push_back(class_at(node, maskers));
      if (maskers > limits::kMaxMaskers) return std::nullopt;
      out[place->second].weights.push_back(static_cast<std::uint32_t>(weight));
    }
    return out;
  }

 private:
  struct Node {
    std::uint32_t parent = 0;
    Masker masker;
  };

  bool add(const ir::Effect& effect, std::uint32_t action) {
    if (!ir::makes_masks(effect)) {
      return true;
    }
    ++actions_;
    children_.clear();
    const auto selectors = ir::selectors_of(effect);
    for (std::size_t target = 0; target < selectors.size(); ++target) {
      const MatchedWeights taken = matcher_.weights_matched_by(*selectors[target]);
      taken_ += taken.size();
      if (taken_ > limits::kMaxMaskedWeights || nodes_.size() > limits::kMaxMaskers) return false;
      for (const MatchedWeight& each : taken) {
        if (std::exchange(last_[each.weight], actions_) == actions_ || !masks(effect, target)) continue;
        std::uint32_t& node = node_of_[each.weight];
        node = child_of(node, {action, static_cast<std::uint32_t>(target), each.certain});
      }
    }
    return true;
  }

  // Returns the child of `parent` for the masker, and creates it if needed.
  std::uint32_t child_of(std::uint32_t parent, const Masker& masker) {
    const Node& last = nodes_.back();
    if (nodes_.size() > first_of_last_ && last.parent == parent && last.masker == masker) {
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint64_t key =
        std::uint64_t{parent} << 32 | std::uint64_t{masker.target} << 1 | (masker.certain ? 1 : 0);
    const auto [child, is_new] = children_.emplace(key, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({parent, masker});
    return child->second;
  }

  // Returns the class of a node and adds its number of maskers to `maskers`.
  WeightClass class_at(std::uint32_t node, std::size_t& maskers) const {
    WeightClass out;
    for (; node != 0; node = nodes_[node].parent, ++maskers) {
      (node < first_of_last_ ? out.one : out.other).push_back(nodes_[node].masker);
    }
    std::ranges::reverse(out.one);
    std::ranges::reverse(out.other);
    return out;
  }

  const WeightMatcher& matcher_;
  std::vector<Node> nodes_ = std::vector<Node>(1);  // the first node is the root, without a masker
  std::vector<std::uint32_t> node_of_;              // by weight
  std::vector<std::uint32_t> last_;  // by weight: number of the last action that matched it, as counted by `actions_`
  std::uint32_t actions_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> children_;  // of the current action, by parent, target and certainty
  std::size_t first_of_last_ = 1;                              // first node of the recipe added last
  std::size_t taken_ = 0;
};

std::optional<std::vector<WeightClass>> weight_classes(const ir::Recipe& one, const ir::Recipe& other,
                                                       const WeightMatcher& matcher, const std::vector<bool>& skipped) {
  Classes classes(matcher);
  return classes.add(one, skipped) && classes.add(other, {}) ? classes.take() : std::nullopt;
}

}  // namespace sparsecfg::convert
