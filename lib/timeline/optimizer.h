#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/effect.h"

namespace sparsecfg::timeline {

// The parameter groups of the optimizer, as far as schedules change them. A rate is nullopt if only the training script
// knows it.
class Optimizer {
 public:
  struct Group {
    std::optional<double> rate;
    std::optional<double> initial_rate;  // stored by torch's first scheduler, used by all later ones
    bool scheduled = false;              // true once a scheduler has been built
    std::optional<double> weight_decay;
    friend bool operator==(const Group&, const Group&) = default;
  };

  // Creates groups with the same initial rate.
  Optimizer(std::size_t count, std::optional<double> initial_rate)
      : groups_(count, Group{initial_rate, {}, false, {}}) {}

  // Calls `change` for each named group, or for all groups if none is named.
  template <class Change>
  void each(const ir::ParameterGroups& named, Change change) {
    for (std::size_t index = 0; index < groups_.size(); ++index) {
      if (is_named(named, index)) {
        change(groups_[index]);
      }
    }
  }

  // Returns true if the group is named, or if no groups are named.
  [[nodiscard]] static bool is_named(const ir::ParameterGroups& named, std::size_t index) {
    return named.empty() || contains(named, index);
  }

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }

 private:
  static bool contains(const ir::ParameterGroups& named, std::size_t index);

  std::vector<Group> groups_;
};

}  // namespace sparsecfg::timeline
