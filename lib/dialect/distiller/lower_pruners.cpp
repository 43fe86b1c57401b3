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

Term term_of(const Value& name) {
  const auto* text = name.get<std::string>();
  return {Term::Kind::exact, text != nullptr ? *text : source::python_str(name), name.span};
}

Term term_or_all(const Value& name) {
  Term term = term_of(name);
  term.kind = term.text == "*" ? Term::Kind::all : Term::Kind::exact;
  return term;
}

static Selector weights_of(const Component& pruner) {
  const Field* field = pruner.fields.find("weights");
  std::vector<Term> terms;
  if (field == nullptr) {
    return selector_of({});
  }
  if (const auto* text = field->value.get<std::string>()) {
    terms.push_back({Term::Kind::part, *text, field->value.span});
  } else if (const auto* list = field->value.get<source::List>()) {
    for (const Value& name : *list) terms.push_back(term_of(name));
  } else if (const auto* map = field->value.get<source::Map>()) {
    for (const auto& [name, value] : *map) terms.push_back(term_of(name));
  }
  if (!terms.empty() && pruner.text("group_dependency") == "Leader") {
    terms.front().required = true;
  }
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
  const std::string group = pruner.text("group_type");
  if (group == "Blocks") {
    const Value* shape = pruner.block_shape();
    const auto* sides = shape == nullptr ? nullptr : shape->get<source::List>();
    const auto side = [&](std::size_t at) {
      return sides != nullptr && sides->size() > at ? static_cast<std::int64_t>((*sides)[at].number().value_or(0))
                                                    : std::int64_t{0};
    };
    return {Kind::block, side(0), side(1), false, {1, {}}, pruner.fields.place("group_type")};
  }
  const double size = pruner.number("group_size").value_or(1);
  const bool by_norm = pruner.spec->criterion == "l1" || pruner.spec->criterion == "l2";  // others rank filters only
  return {by_norm && (group == "Channels" || group == "Rows") ? Kind::channel : Kind::filter,
          0,
          0,
          false,
          {size >= 1 && size < 1e6 ? static_cast<std::int64_t>(size) : 1, pruner.fields.place("group_size")},
          pruner.fields.place("group_type")};
}

static ir::Target target_of(const Component& pruner, std::string_view sparsity) {
  return {{pruner.number(sparsity).value_or(0), pruner.fields.place(sparsity)}, weights_of(pruner)};
}

ir::Prune prune(const Component& pruner, const Policy& policy, ir::SparsityCurve curve,
                std::vector<ir::Target> targets) {
  ir::Prune out{std::move(curve),
                std::move(targets),
                structure_of(pruner),
                std::string(pruner.spec->criterion),
                false,
                !policy.args.is_set("mask_on_forward_only") || policy.args.is_set("keep_mask")};
  if (pruner.text("group_dependency") == "Leader") {
    out.mask_groups.push_back({pruner.name, weights_of(pruner)});
  }
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
  const auto low = pruner.number("low_thresh_mult");
  if (pruner.spec->kind != ClassKind::splicing || !given || !low) {
    return std::nullopt;
  }
  const double growth = std::max(pruner.number("sensitivity_multiplier").value_or(0), 0.0);
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
  if (pruner.fields.find("weights") != nullptr) {
    out.thresholds.push_back({weights_of(pruner), {}});
  }
  return out;
}

ir::Effect pruning(const Component& pruner, const Policy& policy, const Value* levels) {
  switch (pruner.spec->kind.as<ClassKind>()) {
    case ClassKind::gradual:
    case ClassKind::ranked_gradual: {
      const ir::EpochCurve ramp{
          {pruner.number("initial_sparsity").value_or(0), pruner.fields.place("initial_sparsity")}};
      return prune(pruner, policy, ramp, {target_of(pruner, "final_sparsity")});
    }
    case ClassKind::ranked:
    case ClassKind::reconstruction:
      return prune(pruner, policy, ir::Constant{}, {target_of(pruner, "desired_sparsity")});
    case ClassKind::level:
      return prune(pruner, policy, ir::Constant{}, levels == nullptr ? std::vector<ir::Target>() : targets_of(*levels));
    default: return thresholds_of(pruner, policy);
  }
}

}  // namespace sparsecfg::dialect::distiller
