#include <fmt/core.h>

#include <algorithm>

#include "dialect/nni/write.h"

// Finds the NNI pruner that is equivalent to a pruner of another dialect.
namespace sparsecfg::dialect::nni {

using source::Value;

std::string_view maker_of(const ir::Prune& prune) {
  using Kind = ir::Structure::Kind;
  const bool whole = prune.structure.kind == Kind::filter || prune.structure.kind == Kind::channel;
  if (prune.criterion == "movement") return "MovementPruner";
  if (prune.criterion == "magnitude") return whole ? "L2NormPruner" : "LevelPruner";
  if (prune.criterion == "l1" || prune.criterion == "l2")
    return prune.criterion == "l1" ? "L1NormPruner" : "L2NormPruner";
  return "";
}

bool is_cubic(const ir::SparsityCurve& curve) {
  const auto* ramp = std::get_if<ir::Ramp>(&curve);
  const auto* power = std::get_if<ir::PowerRamp>(&curve);
  return std::holds_alternative<ir::EpochCurve>(curve) || (ramp != nullptr && ramp->shape == ir::Shape::cubic) ||
         (power != nullptr && power->decays);
}

std::optional<std::string> obstacle(const ir::Prune& prune) {
  const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
  const auto* power = std::get_if<ir::PowerRamp>(&prune.curve);
  const bool other_exponent = power != nullptr && power->exponent != (power->decays ? 3 : 1);
  const bool known = (ramp != nullptr && ramp->from) || power != nullptr ||
                     std::holds_alternative<ir::EpochCurve>(prune.curve) ||
                     std::holds_alternative<ir::Constant>(prune.curve);
  if (prune.targets.empty()) {
    return "no parameter is selected";
  }
  if (!known || other_exponent || (ramp != nullptr && ramp->shape == ir::Shape::inverse_cubic)) {
    return "NNI does not support this sparsity schedule";
  }
  if (maker_of(prune).empty()) {
    return fmt::format("NNI pruners can't rank weights by `{}`", prune.criterion);
  }
  if (prune.structure.kind == ir::Structure::Kind::n_of_m) {
    return "NNI does not support N:M masks";
  }
  const bool decreases = std::ranges::any_of(prune.targets, [&](const ir::Target& target) {
    const auto* from = ir::initial_sparsity(prune.curve);
    return from != nullptr && from->value > target.sparsity.value;
  });
  return decreases ? std::optional<std::string>("NNI can only increase a sparsity") : std::nullopt;
}

Value granularity(const ir::Structure& structure) {
  switch (structure.kind) {
    case ir::Structure::Kind::filter: return {std::string("out_channel"), {}};
    case ir::Structure::Kind::channel: return {std::string("in_channel"), {}};
    case ir::Structure::Kind::block: return {source::List{{structure.n, {}}, {structure.m, {}}}, {}};
    case ir::Structure::Kind::n_of_m:
    case ir::Structure::Kind::unstructured: return {};
  }
  return {};
}

}  // namespace sparsecfg::dialect::nni
