#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/pytorch/entries.h"

// What entries have in common, and the makers of those that need more than a few lines, by subject.
namespace sparsecfg::dialect::pytorch {

class EntryParts {
 public:
  // All of them must outlive it.
  EntryParts(const ir::Action& action, const ir::Recipe& recipe, const WriteOptions& options, Parts& parts)
      : action_(action), recipe_(recipe), options_(options), parts_(parts) {}

 protected:
  static Entry refuse(std::string_view reason) { return {std::nullopt, std::string(reason)}; }

  // A call with the name and the time, which every action has, before the rest.
  Entry made(std::string_view function, Text when, std::vector<Text> rest) const;

  // Why what a policy of Distiller's tells its pruner about masks can't be written; the schedule itself has no word for
  // it. Empty if it can.
  std::string refused_arguments() const;

  const ir::Action& action_;
  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  Parts& parts_;
};

// A list of names as an argument, and whether each of its terms has to find one.
[[nodiscard]] std::vector<Text> with_strictness(Text names, const ir::Selector& selector);

// The makers.
[[nodiscard]] Entry pruning_entry(const EntryParts& about, const ir::Prune& prune);
[[nodiscard]] Entry limit_entry(const EntryParts& about, const ir::ThresholdPrune& prune);
[[nodiscard]] Entry limit_entry(const EntryParts& about, const ir::Regularize& regularize);
[[nodiscard]] Entry rate_entry(const EntryParts& about, const ir::SetLearningRate& set);
[[nodiscard]] Entry rate_entry(const EntryParts& about, const ir::LearningRateCurve& curve);
[[nodiscard]] Entry rate_entry(const EntryParts& about, const ir::TorchScheduler& scheduler);
[[nodiscard]] Entry rate_entry(const EntryParts& about, const ir::EpochScheduler& scheduler);
[[nodiscard]] Entry rate_entry(const EntryParts& about, const ir::SetWeightDecay& decay);

}  // namespace sparsecfg::dialect::pytorch
