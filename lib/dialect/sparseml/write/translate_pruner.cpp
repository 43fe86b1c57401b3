#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/write/write.h"
#include "dialect/write.h"
#include "ir/clock.h"

// Converts pruners of other dialects to SparseML modifiers.
namespace sparsecfg::dialect::sparseml {

using source::Value;

Value params_of(const source::List& names) {
  const auto* first = names.empty() ? nullptr : names.front().get<std::string>();
  return names.size() == 1 && first->starts_with("__ALL") ? names.front() : Value{names, {}};
}

DIAGNOSTIC(PT005, final_step_semantics, info, (Text, Text, Text), "`{}` ends at epoch {} and is written as {}",
           "Distiller reaches the final sparsity in its last active epoch, which is before `ending_epoch`. SparseML "
           "reaches it at `end_epoch`. The end is moved so that all values in between stay the same.",
           "no change is needed: all values in between stay the same")

class PrunerTranslator {
 public:
  PrunerTranslator(const ir::Recipe& recipe, const WriteOptions& options, Translation& out, diag::Sink& sink)
      : recipe_(recipe), options_(options), out_(out), sink_(sink) {}

  void translate(std::size_t index, const ir::Prune& prune) {
    const ir::Action& action = recipe_.actions[index];
    ActionStatus& status = out_.statuses[index];
    const ActionPlan& plan = options_.plan.of(index);
    if (!plan.in_script.empty()) {
      return mark_not_converted(status, action, "SparseML", plan.in_script, sink_);
    }
    if (const auto reason = reason_to_drop(plan, prune)) {
      return drop(status, action, *reason, sink_);
    }
    if (counts_unknown_steps(action, options_)) {
      return drop_without_steps(status, action, "steps", "epochs", sink_);
    }
    const auto window = window_of(action.cadence, prune, options_);
    if (!window) {
      return drop(status, action, "its window is unknown, or it has one update where SparseML ramps need two epochs",
                  sink_);
    }
    if (options_.epochs && window->start > 0 && window->start >= *options_.epochs) {
      return drop(status, action, "it starts after the end of the training", sink_);
    }
    if (auto names = names_of_targets(action, prune, options_, status, sink_)) {
      add_modifiers(index, prune, *window, std::move(*names));
    }
  }

 private:
  static std::optional<std::string> reason_to_drop(const ActionPlan& plan, const ir::Prune& prune) {
    if (auto reason = obstacle(prune)) {
      return reason;
    }
    if (omits_weights(prune)) {
      return "it prunes biases but not weights";
    }
    return plan.discards_masks ? std::optional<std::string>("it removes its masks at the end, but SparseML keeps them")
                               : std::nullopt;
  }

  // Adds one modifier per target. `names` are the parameter names of each target.
  void add_modifiers(std::size_t index, const ir::Prune& prune, const Window& window, std::vector<source::List> names) {
    const ir::Action& action = recipe_.actions[index];
    ActionStatus& status = out_.statuses[index];
    if (std::ranges::all_of(names, &source::List::empty)) {
      return drop(status, action, "none of its parameters is in the model given by `--params`", sink_);
    }
    bool prunes = false;
    for (std::size_t target = 0; target < prune.targets.size(); ++target) {
      names[target] = with_structures(action, prune, std::move(names[target]), status);
      const bool has_level = prune.targets[target].sparsity.value > 0;
      prunes |= has_level;
      if (has_level && !names[target].empty()) {
        status.links.push_back({target, static_cast<int>(out_.drafts.size()) + 1, 0});
        out_.drafts.push_back(draft_of(prune, prune.targets[target], window, names[target]));
      }
    }
    if (prunes && status.links.empty()) {
      return drop(status, action, "none of its parameters has the pruned structure", sink_);
    }
    report_losses(options_.plan.of(index), action, prune, status);
  }

  // Removes parameters whose known shape does not have the pruned structure. SparseML skips one-dimensional weights,
  // and fails if blocks do not divide the shape.
  source::List with_structures(const ir::Action& action, const ir::Prune& prune, source::List names,
                               ActionStatus& status) {
    const auto lacks = [&](const Value& name) { return lacks_structures(prune.structure, source::python_str(name)); };
    const auto first = std::ranges::find_if(names, lacks);
    if (first != names.end()) {
      approximate(status, action,
                  fmt::format("SparseML cannot remove {}s from `{}`", ir::to_string(prune.structure.kind),
                              base::printable(source::python_str(*first))));
      std::erase_if(names, lacks);
    }
    return names;
  }

  bool lacks_structures(const ir::Structure& structure, const std::string& name) const {
    const model::Shape* shape = model::shape_of(options_.parameters, name);
    if (shape == nullptr) {
      return false;
    }
    if (structure.kind == ir::Structure::Kind::block) {
      return shape->size() < 2 || structure.n <= 0 || structure.m <= 0 ||
             (*shape)[0] % static_cast<std::uint64_t>(structure.n) != 0 ||
             (*shape)[1] % static_cast<std::uint64_t>(structure.m) != 0;
    }
    return is_whole(structure) && shape->size() < 2;
  }

  static std::optional<std::string> obstacle(const ir::Prune& prune) {
    using Kind = ir::Structure::Kind;
    if (prune.targets.empty()) {
      return "it selects no parameters";
    }
    const bool whole = prune.structure.kind == Kind::filter || prune.structure.kind == Kind::channel;
    for (const ir::Target& target : prune.targets) {
      if (target.sparsity.value >= 1) return "SparseML rejects a final sparsity of 1";
      if (target.sparsity.value <= 0 && !std::holds_alternative<ir::Constant>(prune.curve))
        return "SparseML rejects a final sparsity of 0";
    }
    const bool by_norm = prune.criterion == "magnitude" || prune.criterion == "level" || prune.criterion == "l1" ||
                         prune.criterion == "l2" || prune.criterion == "geometric_median";
    if (prune.criterion.empty()) {
      return "the pruner is unknown: pass `--pruner`, or write `pruner: {class: ...}` above the list";
    }
    if (whole && prune.global) {
      return "SparseML ranks structures of each parameter separately";
    }
    const bool moves = prune.criterion == "movement" && !prune.global;
    if (!moves && (!by_norm || (prune.criterion == "geometric_median" && !whole))) {
      return fmt::format("SparseML has no pruner that ranks by `{}`", prune.criterion);
    }
    return shape_of(prune.curve) ? std::nullopt
                                 : std::optional<std::string>("SparseML does not support this sparsity schedule");
  }

  // Returns the shape of a SparseML ramp with the same values, or nullopt. A constant curve fits any shape.
  static std::optional<ir::Shape> shape_of(const ir::SparsityCurve& curve) {
    const auto* power = std::get_if<ir::PowerRamp>(&curve);
    const auto* ramp = std::get_if<ir::Ramp>(&curve);
    if (std::holds_alternative<ir::EpochCurve>(curve) || std::holds_alternative<ir::Constant>(curve)) {
      return ir::Shape::cubic;
    }
    if (power != nullptr && power->exponent == 3 && power->decays) {
      return ir::Shape::cubic;
    }
    if (power != nullptr && power->exponent == 1) {
      return ir::Shape::linear;
    }
    return ramp != nullptr && ramp->from ? std::optional(ramp->shape) : std::nullopt;
  }

  static double initial(const ir::Prune& prune, const ir::Target& target) {
    const auto* from = ir::initial_sparsity(prune.curve);
    return from == nullptr ? target.sparsity.value : from->value;
  }

  static bool is_whole(const ir::Structure& structure) {
    return structure.kind == ir::Structure::Kind::filter || structure.kind == ir::Structure::Kind::channel;
  }

  static std::string_view class_of(const ir::Prune& prune) {
    if (prune.criterion == "movement") return "MovementPruningModifier";
    return is_whole(prune.structure) ? "StructuredPruningModifier"
           : prune.global            ? "GlobalMagnitudePruningModifier"
                                     : "GMPruningModifier";
  }

  static Draft draft_of(const ir::Prune& prune, const ir::Target& target, const Window& window,
                        const source::List& names) {
    Draft draft{std::string(class_of(prune)), "", "pruning_modifiers", {}};
    draft.set("params", params_of(names));
    draft.set("init_sparsity", real(window.at_once ? target.sparsity.value : initial(prune, target)));
    draft.set("final_sparsity", real(target.sparsity.value));
    draft.set("start_epoch", real(window.start));
    draft.set("end_epoch", real(window.end));
    draft.set("update_frequency", real(window.every));
    draft.set("inter_func", word(ir::to_string(shape_of(prune.curve).value_or(ir::Shape::cubic))));
    if (prune.structure.kind == ir::Structure::Kind::block) {
      draft.set("mask_type", {source::List{{prune.structure.n, {}}, {prune.structure.m, {}}}, {}});
    } else if (is_whole(prune.structure) && prune.criterion != "movement") {
      draft.set("mask_type", word(prune.structure.kind == ir::Structure::Kind::filter ? "filter" : "channel"));
    }
    draft.set("leave_enabled", {true, {}});
    return draft;
  }

  // --- differences --------------------------------------------------------------------------------------

  void approximate(ActionStatus& status, const ir::Action& action, std::string_view reason) {
    dialect::approximate(status, action, reason, sink_);
  }

  void report_losses(const ActionPlan& plan, const ir::Action& action, const ir::Prune& prune, ActionStatus& status) {
    if (prune.criterion == "movement") {
      approximate(status, action,
                  is_whole(prune.structure)
                      ? "SparseML scores individual weights by another rule; NNI scores whole filters or channels and "
                        "rounds their number down"
                      : "SparseML scores individual weights by another rule");
    } else if (is_whole(prune.structure)) {
      approximate(status, action, "SparseML ranks structures by another norm");
    } else if (prune.structure.kind == ir::Structure::Kind::block) {
      approximate(status, action, "SparseML uses blocks over output and input dimensions");
    }
    report_unsupported(plan, action, prune, options_, "SparseML", status, sink_);
    if (std::holds_alternative<ir::EpochCurve>(prune.curve)) {
      const double last =
          action.cadence.start.value +
          ir::epochs_passed(action.cadence.start.value, action.cadence.end.value, action.cadence.every_or(1));
      dialect::report(status, sink_, diag::final_step_semantics, action.cadence.end.span, action.origin.class_name,
                      base::python_repr(action.cadence.end.value),
                      fmt::format("`end_epoch: {}`", base::python_repr(last)));
    }
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  Translation& out_;
  diag::Sink& sink_;
};

void translate_pruner(const ir::Recipe& recipe, const WriteOptions& options, std::size_t index, const ir::Prune& prune,
                      Translation& out, diag::Sink& sink) {
  PrunerTranslator(recipe, options, out, sink).translate(index, prune);
}

}  // namespace sparsecfg::dialect::sparseml
