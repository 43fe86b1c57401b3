#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/pytorch/entries.h"

// Shared base of the entry builders, and the builders that need more than a few lines, by subject.
namespace sparsecfg::dialect::pytorch {

class EntryParts {
 public:
  // All arguments must outlive this object.
  EntryParts(const ir::Action& action, const ir::Recipe& recipe, const WriteOptions& options, Parts& parts)
      : action_(action), recipe_(recipe), options_(options), parts_(parts) {}

 protected:
  static Entry refuse(std::string_view reason) { return {std::nullopt, std::string(reason)}; }

  // Returns a call that starts with the action's name and time, followed by `rest`.
  Entry made(std::string_view function, Text when, std::vector<Text> rest) const;

  // Returns the reason why the mask options of a Distiller policy can't be written; empty if they can. The IR does not
  // represent these options.
  std::string refused_arguments() const;

  const ir::Action& action_;
  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  Parts& parts_;
};

// Returns arguments: a list of names, and whether each of its terms must match something.
[[nodiscard]] std::vector<Text> with_strictness(Text names, const model::Selector& selector);

// Builders of entries.
[[nodiscard]] Entry pruning_entry(const EntryParts& about, const ir::Prune& prune);
[[nodiscard]] Entry limit_entry(const EntryParts& about, const ir::ThresholdPrune& prune);
[[nodiscard]] Entry limit_entry(const EntryParts& about, const ir::Regularize& regularize);
[[nodiscard]] Entry rate_entry(const EntryParts& about, const ir::SetLearningRate& set);
[[nodiscard]] Entry rate_entry(const EntryParts& about, const ir::LearningRateCurve& curve);
[[nodiscard]] Entry rate_entry(const EntryParts& about, const ir::TorchScheduler& scheduler);
[[nodiscard]] Entry rate_entry(const EntryParts& about, const ir::EpochScheduler& scheduler);
[[nodiscard]] Entry rate_entry(const EntryParts& about, const ir::SetWeightDecay& decay);

}  // namespace sparsecfg::dialect::pytorch
