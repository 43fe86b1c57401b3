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

// The sparsity of all weights of a model during a run, if their shapes are known. Averages the sparsity last applied to
// each weight, weighted by its elements. Unpruned weights count as dense. Weights are parameters with at least two
// dimensions, and all others that a pruner selects. For recipes that select modules, they are the weights of the
// modules.
class Overall {
 public:
  // All arguments must outlive this object; the evaluator must not have advanced yet.
  Overall(const ir::Recipe& recipe, const Run& run, const Evaluator& evaluator);

  // Returns true if the shapes of all weights are known and a pruner selects some of them.
  [[nodiscard]] bool known() const { return elements_ > 0 && !groups_.empty(); }

  [[nodiscard]] std::uint64_t elements() const { return elements_; }

  // Applies the changes of the evaluator's current step.
  void follow(const Evaluator& evaluator);

  // Returns nullopt if the sparsity of a weight depends on the weights themselves.
  [[nodiscard]] std::optional<double> value() const;

 private:
  // Weights that are matched by the same selectors.
  struct Group {
    std::uint64_t elements = 0;
    std::optional<double> sparsity = 0;
    bool touched = false;  // by a pruner
  };

  // A group that an action selects, and its track.
  struct Share {
    std::size_t group;
    std::optional<std::size_t> track;
  };

  void add(const model::ModelNames& names, std::size_t at, const std::vector<ir::Claim>& claims);
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
