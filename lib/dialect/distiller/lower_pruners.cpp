#include <algorithm>

#include "dialect/distiller/read.h"

// Lowers pruners to IR effects.
namespace sparsecfg::dialect::distiller {

using model::Selector;
using model::Term;

// --- selectors --------------------------------------------------------------------------------------

Selector selector_of(std::vector<Term> terms) {
  return {std::move(terms), Selector::Over::parameters, false, false, true};
}

Term term_of(const Value& name) { return {Term::Kind::exact, source::python_str(name), name.span}; }

Term term_or_all(const Value& name) {
  Term term = term_of(name);
  term.kind = term.text == "*" ? Term::Kind::all : Term::Kind::exact;
  return term;
}

static Selector weights_of(const Arguments& pruner) {
  const Names names = pruner.weights.value_or({});
  std::vector<Term> terms;
  for (const Value* name : names.values) {
    terms.push_back(term_of(*name));
    if (names.searched) terms.back().kind = Term::Kind::part;
  }
  if (!terms.empty()) terms.front().required = pruner.has_leader();
  return selector_of(std::move(terms));
}

// Returns the entries with `*` last, since it selects the remaining parameters.
static std::vector<const source::Entry*> in_order(const source::Map& map) {
  std::vector<const source::Entry*> entries;
  for (const source::Entry& entry : map) {
    entries.push_back(&entry);
  }
  std::stable_partition(entries.begin(), entries.end(),
                        [](const source::Entry* entry) { return term_of(entry->first).text != "*"; });
  return entries;
}

// --- pruners ------------------------------------------------------------------------------------------

static ir::Structure structure_of(const Component& pruner) {
  using Kind = ir::Structure::Kind;
  if (pruner.spec->kind != ClassKind::ranked && pruner.spec->kind != ClassKind::ranked_gradual &&
      pruner.spec->kind != ClassKind::random_level && pruner.spec->kind != ClassKind::reconstruction) {
    return {};
  }
  const Arguments& arguments = *pruner.arguments;
  if (arguments.has_blocks()) {
    const Value* shape = arguments.block_shape();
    const auto* sides = shape == nullptr ? nullptr : shape->get<source::List>();
    const auto side = [&](std::size_t at) {
      return sides != nullptr && sides->size() > at ? static_cast<std::int64_t>((*sides)[at].number().value_or(0))
                                                    : std::int64_t{0};
    };
    return {Kind::block, side(0), side(1), false, {1, {}}, arguments.group_type.place()};
  }
  const double size = arguments.group_size.value_or(1);
  const bool by_norm = pruner.spec->criterion == "l1" || pruner.spec->criterion == "l2";  // others rank filters only
  return {by_norm && arguments.has_channels() ? Kind::channel : Kind::filter,
          0,
          0,
          false,
          {size >= 1 && size < 1e6 ? static_cast<std::int64_t>(size) : 1, arguments.group_size.place()},
          arguments.group_type.place()};
}

ir::Prune prune(const Component& pruner, const Policy& policy, ir::SparsityCurve curve,
                std::vector<ir::Target> targets) {
  ir::Prune out{std::move(curve),
                std::move(targets),
                structure_of(pruner),
                std::string(pruner.spec->criterion),
                false,
                !policy.args.mask_on_forward_only || policy.args.keep_mask != nullptr};
  if (pruner.arguments->has_leader()) out.mask_groups.push_back({pruner.name, weights_of(*pruner.arguments)});
  return out;
}

// Groups names with equal levels into one target. A level of 0 does not prune.
static std::vector<ir::Target> targets_of(const Value& levels) {
  std::vector<ir::Target> targets;
  const auto* map = levels.get<source::Map>();
  for (const source::Entry* entry : map == nullptr ? std::vector<const source::Entry*>() : in_order(*map)) {
    const double level = entry->second.number().value_or(0);
    const Term term = term_or_all(entry->first);
    auto target = std::ranges::find_if(targets, [&](const ir::Target& each) { return each.sparsity.value == level; });
    // The term for all remaining parameters must come after all other targets.
    if (term.kind == Term::Kind::all && target != targets.end() && target + 1 != targets.end()) {
      target = targets.end();
    }
    if (target == targets.end()) {
      target = targets.insert(targets.end(), {{level, entry->second.span}, selector_of({})});
    }
    target->selector.terms.push_back(term);
  }
  return targets;
}

// Returns the threshold of a sensitivity in standard deviations of the weights. Network surgery uses the mean and the
// deviation of magnitudes, and its sensitivities grow until the last epoch.
static std::optional<double> deviations_of(const Component& pruner, const Policy& policy, const Value& sensitivity) {
  constexpr double kMeanMagnitude = 0.79788456080286535588;      // sqrt(2 / pi)
  constexpr double kDeviationOfMagnitude = 0.60281027169346823;  // sqrt(1 - 2 / pi)
  const auto given = sensitivity.number();
  if (pruner.spec->kind == ClassKind::sensitivity) {
    return given;
  }
  const auto low = pruner.fields.number("low_thresh_mult");
  if (pruner.spec->kind != ClassKind::splicing || !given || !low) {
    return std::nullopt;
  }
  const double growth = std::max(pruner.fields.number("sensitivity_multiplier").value_or(0), 0.0);
  const auto active = policy.active(10'000);
  const double passed = active.empty() ? 0 : static_cast<double>(active.back() - active.front());
  return (kMeanMagnitude + kDeviationOfMagnitude * *given * (1 + passed * growth)) * *low;
}

static ir::ThresholdPrune thresholds_of(const Component& pruner, const Policy& policy) {
  ir::ThresholdPrune out{std::string(pruner.spec->criterion), {}};
  for (const std::string_view name : {"sensitivities", "thresholds", "reg_regims"}) {
    const Field* field = pruner.fields.find(name);
    const auto* map = field == nullptr ? nullptr : field->value.get<source::Map>();
    for (const source::Entry* entry : map == nullptr ? std::vector<const source::Entry*>() : in_order(*map)) {
      out.thresholds.push_back(
          {selector_of({term_or_all(entry->first)}), entry->second, deviations_of(pruner, policy, entry->second)});
    }
  }
  if (pruner.arguments->weights) out.thresholds.push_back({weights_of(*pruner.arguments), {}});
  return out;
}

ir::Effect pruning(const Component& pruner, const Policy& policy, const Value* levels) {
  const Arguments& arguments = *pruner.arguments;
  switch (pruner.spec->kind.as<ClassKind>()) {
    case ClassKind::gradual:
    case ClassKind::ranked_gradual:
      return prune(pruner, policy, ir::EpochCurve{arguments.initial_sparsity.located()},
                   {{arguments.final_sparsity.located(), weights_of(arguments)}});
    case ClassKind::ranked:
    case ClassKind::reconstruction:
      return prune(pruner, policy, ir::Constant{}, {{arguments.desired_sparsity.located(), weights_of(arguments)}});
    case ClassKind::level:
      return prune(pruner, policy, ir::Constant{}, levels == nullptr ? std::vector<ir::Target>() : targets_of(*levels));
    default: return thresholds_of(pruner, policy);
  }
}

}  // namespace sparsecfg::dialect::distiller
