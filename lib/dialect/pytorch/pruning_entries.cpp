#include <fmt/format.h>

#include <algorithm>

#include "dialect/pytorch/entries.h"
#include "dialect/pytorch/entry_parts.h"
#include "ir/matching.h"

namespace sparsecfg::dialect::pytorch {

class PruningEntry : private EntryParts {
 public:
  explicit PruningEntry(const EntryParts& about) : EntryParts(about) {}

  Entry make(const ir::Prune& prune) const {
    if (const std::string reason = refused(prune); !reason.empty()) {
      return refuse(reason);
    }
    std::vector<Text> targets;
    const auto owned = options_.parameters != nullptr
                           ? std::optional(ir::parameters_of_targets(prune, *options_.parameters))
                           : std::nullopt;
    for (std::size_t at = 0; at < prune.targets.size(); ++at) {
      Course course = sparsity_course(prune, prune.targets[at], action_.cadence, parts_);
      if (!course.refused.empty()) {
        return refuse(course.refused);
      }
      if (leaves_alone(prune, prune.targets[at])) {
        course.text = {"None"};
      }
      targets.push_back(tuple(
          {owned && !over_modules(prune.targets[at]) ? names((*owned)[at]) : terms(prune.targets[at].selector, parts_),
           std::move(course.text)}));
    }
    std::vector<Text> arguments = {list(std::move(targets))};
    add_switches(prune, arguments);
    add_groups(prune, arguments);
    parts_.emplace(recipe_.rounding == ir::Rounding::nearest ? "keep_exactly" : "keep_above");
    const bool anew = action_.cadence.counted() != nullptr;
    return made(anew                     ? "PruneAnew"
                : resets_momentum(prune) ? "PruneInTurns"
                                         : "Prune",
                when(action_.cadence, parts_), std::move(arguments));
  }

 private:
  static bool over_modules(const ir::Target& target) { return target.selector.over == model::Selector::Over::modules; }

  // Returns true if another action's parameters are ranked together with those of this action.
  bool shares_pool(const ir::Prune& prune) const {
    return std::ranges::any_of(recipe_.actions, [&](const ir::Action& other) {
      const auto* pruner = std::get_if<ir::Prune>(&other.effect);
      return pruner != nullptr && &other != &action_ && pruner->pool == prune.pool;
    });
  }

  // AC/DC resets the momentum by default.
  bool resets_momentum(const ir::Prune& prune) const {
    const ir::OriginField* reset = action_.origin.find("momentum_buffer_reset");
    return std::holds_alternative<ir::Alternation>(prune.curve) &&
           (reset == nullptr || reset->value.number().value_or(1) != 0);
  }

  // A level of 0 for single weights applies no mask.
  bool leaves_alone(const ir::Prune& prune, const ir::Target& target) const {
    return action_.cadence.is<ir::WholeEpochs>() && std::holds_alternative<ir::Constant>(prune.curve) &&
           prune.structure.kind == ir::Structure::Kind::unstructured && target.sparsity.value == 0;
  }

  void add_switches(const ir::Prune& prune, std::vector<Text>& arguments) const {
    const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
    const bool strict =
        std::ranges::any_of(prune.targets, [](const ir::Target& target) { return stops_without(target.selector); });
    if (!prune.hold_after_end) arguments.push_back(named("keep", boolean(false)));
    if (!strict) arguments.push_back(named("strict", boolean(false)));
    if (recipe_.overlap == ir::Overlap::first_action) arguments.push_back(named("alone", boolean(true)));
    if (prune.global) arguments.push_back(named("together", boolean(true)));
    if (ramp != nullptr && !ramp->from) arguments.push_back(named("measured", boolean(true)));
  }

  // --- groups -------------------------------------------------------------------------------------------------

  // Returns the function that reshapes a weight to its groups, with the group sizes.
  Text view(const ir::Structure& structure, std::string_view norm) const {
    const bool padded = structure.kind == ir::Structure::Kind::block && structure.padded;
    const std::string name = structure.kind == ir::Structure::Kind::filter    ? "filters"
                             : structure.kind == ir::Structure::Kind::channel ? "channels"
                             : padded                                         ? "fours"
                                                                              : "blocks";
    parts_.insert({"Groups", name});
    std::vector<Text> arguments = {{std::string(norm)}, {name}};
    if (name == "blocks") {
      arguments.push_back({std::to_string(structure.n)});
      arguments.push_back({std::to_string(structure.m)});
    }
    const bool of_nni = action_.cadence.counted() != nullptr;
    // NNI ranks single weights of a bias. SparseML also groups them by four.
    const bool flat = padded || (of_nni && structure.kind == ir::Structure::Kind::filter);
    if (flat) arguments.push_back(named("flat", boolean(true)));
    return call("Groups", std::move(arguments));
  }

  // Returns the norm that ranks groups. SparseML ranks filters by norms and blocks by means.
  std::string_view norm_of(const ir::Prune& prune) const {
    const bool block = prune.structure.kind == ir::Structure::Kind::block;
    return prune.criterion == "l1" ? "1" : prune.criterion == "magnitude" && block ? "\"mean\"" : "2";
  }

  void add_groups(const ir::Prune& prune, std::vector<Text>& arguments) const {
    if (prune.structure.kind == ir::Structure::Kind::n_of_m) {
      parts_.insert("NofM");
      arguments.push_back(
          named("groups", call("NofM", {{std::to_string(prune.structure.n)}, {std::to_string(prune.structure.m)}})));
    } else if (prune.structure.kind != ir::Structure::Kind::unstructured) {
      arguments.push_back(named("groups", view(prune.structure, norm_of(prune))));
    }
    if (!prune.mask_groups.empty()) {
      std::vector<Text> lists;
      for (const ir::MaskGroup& group : prune.mask_groups) lists.push_back(terms(group.selector, parts_));
      const bool leads = action_.cadence.is<ir::WholeEpochs>();
      arguments.push_back(named("tied", list(std::move(lists))));
      arguments.push_back(
          named("tie", {leads ? "lambda scores: scores[0]" : "lambda scores: torch.stack(scores).sum(0)"}));
    }
  }

  std::string refused(const ir::Prune& prune) const {
    if (const std::string reason = refused_arguments(); !reason.empty()) {
      return reason;
    }
    if (prune.criterion.empty()) {
      return "the pruner class is unknown; pass `--pruner`";
    }
    const bool norm = prune.criterion == "l1" || prune.criterion == "l2";
    if (prune.criterion != "magnitude" && !norm) {
      return fmt::format("ranking by {} requires more than the weights", prune.criterion);
    }
    if (norm && prune.structure.kind == ir::Structure::Kind::unstructured) {
      return "norms of single weights are not supported";
    }
    if (prune.global && prune.structure.kind != ir::Structure::Kind::unstructured) {
      return "global ranking of groups is not supported";
    }
    if (action_.cadence.counted() != nullptr && prune.structure.kind == ir::Structure::Kind::block) {
      return "blocks of NNI (tiles of a weight) are not supported";
    }
    if (prune.structure.group.value != 1) {
      return "nested groups are not supported";
    }
    if (!prune.pool.empty() && shares_pool(prune)) {
      return "ranking weights of several entries together is not supported";
    }
    for (const ir::Target& target : prune.targets) {
      if (std::string reason = refusal(target.selector); !reason.empty()) {
        return reason;
      }
    }
    return "";
  }
};

Entry pruning_entry(const EntryParts& about, const ir::Prune& prune) { return PruningEntry(about).make(prune); }

}  // namespace sparsecfg::dialect::pytorch
