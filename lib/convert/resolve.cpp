#include "convert/resolve.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::convert {

// Tolerance for rounding in the last digits. A larger difference is reported as an approximation or an internal error.
constexpr double kRounding = 1e-12;

static std::string_view rule_of(ir::Overlap overlap) {
  switch (overlap) {
    case ir::Overlap::all_hold: return "a weight keeps all its masks";
    case ir::Overlap::last_update: return "the mask set last replaces the others";
    case ir::Overlap::first_action: return "only the first pruner of a weight masks it";
  }
  return {};
}

static std::string_view rule_of(ir::Rounding rounding) {
  return rounding == ir::Rounding::nearest ? "rounds their number to the nearest integer" : "rounds their number down";
}

static std::string_view title_of(const ir::Recipe& recipe) {
  const dialect::Dialect* known = dialect::find_dialect(recipe.dialect);
  return known == nullptr ? recipe.dialect : known->title;
}

void approximate(Fidelity& each, const ir::Recipe& recipe, const std::string& reason, diag::Sink& sink) {
  const ir::Origin& origin = recipe.actions[each.action].origin;
  sink.report(diag::schedule_approximated, origin.span, origin.class_name, reason);
  if (std::ranges::find(each.codes, diag::schedule_approximated.info.code) == each.codes.end()) {
    each.codes.push_back(diag::schedule_approximated.info.code);
  }
  each.kind = Fidelity::Kind::approximated;
  each.reason += (each.reason.empty() ? "" : "; ") + reason;
}

class Resolver {
 public:
  Resolver(const Compared& compared, std::vector<Fidelity>& fidelity, diag::Sink& sink)
      : recipe_(compared.recipe), back_(compared.back), run_(compared.run), fidelity_(fidelity), sink_(sink) {}

  Resolution run(const Comparison& comparison) {
    bool announced = false;
    for (Fidelity& each : fidelity_) {
      const ir::Effect& effect = recipe_.actions[each.action].effect;
      if (ir::makes_masks(effect)) {
        resolve_masks(each, comparison.masks[each.action]);
      } else if (ir::moves_learning_rate(effect)) {
        resolve(each, comparison.rate);
        announced |= each.kind >= Fidelity::Kind::approximated;
        out_.rate_differs |= each.kind < Fidelity::Kind::not_converted && comparison.rate.max > kRounding;
      } else if (std::holds_alternative<ir::SetWeightDecay>(effect)) {
        resolve(each, comparison.weight_decay);
      } else if (std::holds_alternative<ir::EpochScheduler>(effect)) {
        announced |= each.kind >= Fidelity::Kind::not_converted;  // EpochScheduler sets the first rate
      }
    }
    const bool moves = std::ranges::any_of(
        recipe_.actions, [](const ir::Action& action) { return ir::moves_learning_rate(action.effect); });
    if (!moves && !announced && recipe_.has_rates && comparison.rate.max > kRounding) {
      out_.mismatches.push_back({Fault::Kind::differs, "the learning rate"});
    }
    for (const std::string& name : comparison.unknown_names) out_.mismatches.push_back({Fault::Kind::differs, name});
    return std::move(out_);
  }

 private:
  void approximate(Fidelity& each, const std::string& reason) { convert::approximate(each, recipe_, reason, sink_); }

  void drop(Fidelity& each, const std::string& reason) {
    const ir::Origin& origin = recipe_.actions[each.action].origin;
    sink_.report(diag::not_expressible, origin.span, origin.class_name, title_of(back_), reason);
    each.codes.push_back(diag::not_expressible.info.code);
    each.kind = Fidelity::Kind::dropped;
    each.reason += "; " + reason;
  }

  void resolve_masks(Fidelity& each, const MaskComparison& masks) {
    if (each.kind >= Fidelity::Kind::not_converted) {
      return;
    }
    const auto* prune = std::get_if<ir::Prune>(&recipe_.actions[each.action].effect);
    if (masks.unmeasured) {
      approximate(each, reason_of_overlap(each, masks));
    } else if (masks.difference.max > kRounding && (!masks.shared.empty() || !masks.certain)) {
      approximate(each, reason_of_overlap(each, masks));
    } else if (masks.difference.max > kRounding && drops_a_pruner()) {
      approximate(each, "another pruner of its weights is dropped");
    }
    if (!masks.apart.empty()) {
      approximate(each, fmt::format("{} are ranked {} in {}, but separately in {}", masks.apart,
                                    prune->mask_groups.empty() ? "together" : "to lose the same structures",
                                    title_of(recipe_), title_of(back_)));
    }
    if (prune != nullptr) {
      Difference difference = masks.counted.max > masks.difference.max ? masks.counted : masks.difference;
      difference.unknown = resolve_counts(each, masks.count, prune->structure) && difference.max <= kRounding;
      if (masks.compared) resolve(each, difference);
    }
  }

  bool drops_a_pruner() const {
    return std::ranges::any_of(fidelity_, [&](const Fidelity& each) {
      return each.kind == Fidelity::Kind::dropped && ir::makes_masks(recipe_.actions[each.action].effect);
    });
  }

  std::string reason_of_overlap(const Fidelity& each, const MaskComparison& masks) const {
    if (masks.shared.empty()) {
      return "the pruned layers depend on their types; pass them with `--modules`";
    }
    const ir::Origin& other = recipe_.actions[masks.other].origin;
    const std::string with = masks.other == each.action
                                 ? std::string("is pruned by several pruners")
                                 : fmt::format("is also pruned by `{}#{}`", other.class_name, other.ordinal);
    return fmt::format("`{}` {}; in {} {}, in {} {}", base::printable(masks.shared), with, title_of(recipe_),
                       rule_of(recipe_.overlap), title_of(back_), rule_of(back_.overlap));
  }

  // Reports numbers of removed structures that differ by rounding. Returns true if the numbers are unknown.
  bool resolve_counts(Fidelity& each, const CountDifference& count, const ir::Structure& structure) {
    using Kind = ir::Structure::Kind;
    const bool whole = structure.kind == Kind::filter || structure.kind == Kind::channel;
    const bool shapes = run_.parameters != nullptr && run_.parameters->has_shapes();
    const bool unknown = whole && !shapes && count.weight.empty() && recipe_.rounding != back_.rounding;
    if (!count.weight.empty()) {
      approximate(each, fmt::format("{} removes {} of the {} {}s of `{}` from step {} on, {} {}", title_of(back_),
                                    count.written, count.units, ir::to_string(structure.kind),
                                    base::printable(count.weight), count.step, title_of(recipe_), count.removed));
    } else if (unknown) {
      approximate(each,
                  fmt::format("one {} more or fewer may be removed: {} {}, {} {}", ir::to_string(structure.kind),
                              title_of(recipe_), rule_of(recipe_.rounding), title_of(back_), rule_of(back_.rounding)));
    }
    if (count.empties()) {
      drop(each, fmt::format("all of `{}` would be removed", base::printable(count.weight)));
    }
    return unknown;
  }

  void resolve(Fidelity& each, const Difference& difference) {
    if (each.kind >= Fidelity::Kind::not_converted) {
      return;
    }
    each.difference = difference;
    each.measured = true;
    if (each.kind == Fidelity::Kind::exact && difference.max > kRounding) {
      out_.mismatches.push_back(
          {Fault::Kind::differs, fmt::format("by {:.3g} at step {}", difference.max, difference.step), each.action});
    } else if (each.kind == Fidelity::Kind::exact && difference.max > 0) {
      each.kind = Fidelity::Kind::equivalent;
    }
  }

  const ir::Recipe& recipe_;
  const ir::Recipe& back_;
  const timeline::Run& run_;
  std::vector<Fidelity>& fidelity_;
  diag::Sink& sink_;
  Resolution out_;
};

Resolution resolve(const Comparison& comparison, const Compared& compared, std::vector<Fidelity>& fidelity,
                   diag::Sink& sink) {
  return Resolver(compared, fidelity, sink).run(comparison);
}

}  // namespace sparsecfg::convert
