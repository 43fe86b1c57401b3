#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/matching.h"
#include "timeline/evaluator.h"

namespace sparsecfg::timeline {

// The sparsity of all weights of a model together along a run, where their shapes are known: that
// which was applied to each of them last, weighted by its elements. What nobody prunes counts as
// dense. Weights are the parameters of two dimensions and more, and whatever a pruner takes besides;
// for recipes that select modules, the weights of the modules.
class Overall {
 public:
  // All must outlive it; the evaluator has not advanced yet.
  Overall(const ir::Recipe& recipe, const Run& run, const Evaluator& evaluator);

  // Returns true if the shapes of all weights are known and a pruner takes some of them.
  [[nodiscard]] bool known() const { return elements_ > 0 && !groups_.empty(); }

  [[nodiscard]] std::uint64_t elements() const { return elements_; }

  // Takes in what the evaluator did at its step.
  void follow(const Evaluator& evaluator);

  // Returns nullopt if the sparsity of a weight hangs on the weights themselves.
  [[nodiscard]] std::optional<double> value() const;

 private:
  // Weights of which the same is taken by the same selectors.
  struct Group {
    std::uint64_t elements = 0;
    std::optional<double> sparsity = 0;
    bool touched = false;  // by a pruner
  };

  // A group that an action takes, and where its sparsity stands.
  struct Share {
    std::size_t group;
    std::optional<std::size_t> track;
  };

  void add(const ir::ModelNames& names, std::size_t at, const std::vector<ir::Claim>& claims);
  [[nodiscard]] std::size_t group_of(const std::vector<ir::Claim>& claims);
  void apply(const Event& event, const Share& share, const Evaluator& evaluator);

  using Target = std::pair<std::size_t, std::size_t>;  // an action and one of its selectors
  using Key = std::vector<Target>;

  const ir::Recipe& recipe_;
  std::uint64_t elements_ = 0;
  std::vector<Group> groups_;
  std::map<Key, std::size_t> numbers_;
  std::map<Target, std::size_t> tracks_;
  std::vector<std::vector<Share>> shares_;  // by action
};

}  // namespace sparsecfg::timeline
