#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "dialect/distiller/write.h"
#include "dialect/foreign.h"
#include "ir/matching.h"

// What other dialects' actions become (reference/distiller-to-sparseml.md, read backwards).
namespace sparsecfg::dialect::distiller {

using source::Value;

// Epochs in which a policy is active: each `every` from the first to the last, both included.
struct Epochs {
  double first = 0;
  double last = 0;
  double every = 1;
  bool at_once = false;  // whether the first one has the last sparsity
};

class Translator {
 public:
  Translator(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink)
      : recipe_(recipe), options_(options), sink_(sink) {
    for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
      out_.statuses.push_back({index, ActionStatus::Kind::kept, "", {}});
    }
  }

  Draft run() {
    for (std::size_t index = 0; index < recipe_.actions.size(); ++index) {
      translate(index);
    }
    add_rates(out_, recipe_, options_, sink_);
    if (out_.policies.empty()) {
      drop_lengths();
    } else {
      add_notes();
    }
    return std::move(out_);
  }

 private:
  void translate(std::size_t index) {
    const auto no = [&](std::string_view reason) {
      drop(out_.statuses[index], recipe_.actions[index], std::string(reason), sink_);
    };
    std::visit(base::Overloaded{
                   [&](const ir::Prune& prune) { translate(index, prune); },
                   [&](const ir::EpochRange&) {
                     out_.statuses[index].reason = "the length is the `--epochs` of the training script";
                   },
                   [&](const ir::SetLearningRate&) {},
                   [&](const ir::LearningRateCurve&) {},
                   [&](const ir::TorchScheduler&) {},
                   [&](const ir::HoldMask&) { no("no pruner keeps the zeros that are there"); },
                   [&](const ir::Quantize&) { no("Distiller quantizes by other functions"); },
                   [&](const ir::Distill&) { no("a schedule knows no teacher"); },
                   [&](const ir::Opaque&) { translate_unknown(index); },
                   [&](const auto&) { no("Distiller has no counterpart"); },
               },
               recipe_.actions[index].effect);
  }

  void translate_unknown(std::size_t index) {
    const ir::Action& action = recipe_.actions[index];
    if (masks_nothing(recipe_, action)) {
      out_.statuses[index].reason = "it masks nothing; it is left out";
    } else {
      drop(out_.statuses[index], action, "Distiller has no counterpart", sink_);
    }
  }

  // Nothing of the recipe would be left.
  void drop_lengths() {
    for (ActionStatus& status : out_.statuses) {
      if (status.kind != ActionStatus::Kind::dropped) {
        drop(status, recipe_.actions[status.action], "a schedule needs a policy, and nothing else becomes one", sink_);
      }
    }
  }

  void add_notes() {
    out_.notes.emplace_back(
        "Distiller cuts the number of weights down to a whole one, so a tensor may lose one more or one less");
    out_.notes.emplace_back("Distiller does not mask gradients, and passes over names that are not in the model");
  }

  // --- pruning ---------------------------------------------------------------------------------------

  void translate(std::size_t index, const ir::Prune& prune) {
    const ir::Action& action = recipe_.actions[index];
    ActionStatus& status = out_.statuses[index];
    if (const auto reason = obstacle(prune)) {
      return drop(status, action, *reason, sink_);
    }
    if (action.cadence.counted && action.cadence.counted->first > 0 && !action.cadence.counted->in_epochs &&
        !options_.read.steps_per_epoch) {
      sink_.report(diag::steps_to_epochs_needs_spe, action.origin.span, action.origin.class_name, "steps", "epochs");
      status.kind = ActionStatus::Kind::dropped;
      status.reason = "it counts steps";
      return;
    }
    const auto epochs = epochs_of(action, status);
    if (!epochs) {
      return drop(status, action, "it has no end, or none that a whole epoch comes near", sink_);
    }
    if (!epochs->at_once && !is_cubic(prune)) {
      return drop(status, action, "Distiller's ramp is cubic", sink_);
    }
    const auto names = names_of(action, prune, status);
    for (std::size_t target = 0; names && target < prune.targets.size(); ++target) {
      if (!(*names)[target].empty() && !add(action, prune, target, *epochs, (*names)[target], status)) {
        return;
      }
    }
    if (names) {
      report_losses(action, prune, status);
    }
  }

  static std::optional<std::string> obstacle(const ir::Prune& prune) {
    using Kind = ir::Structure::Kind;
    if (prune.targets.empty()) {
      return "it names no parameter";
    }
    const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
    const auto* power = std::get_if<ir::PowerRamp>(&prune.curve);
    const bool known =
        (ramp != nullptr && ramp->from) || power != nullptr || std::holds_alternative<ir::EpochCurve>(prune.curve);
    if (!known) {
      return "Distiller has no such course of sparsity";
    }
    if (prune.criterion.empty()) {
      return "nothing says which pruner it is for";
    }
    const bool whole = prune.structure.kind == Kind::filter || prune.structure.kind == Kind::channel;
    const bool by_norm = whole && (prune.criterion == "l1" || prune.criterion == "l2");
    if ((prune.criterion != "magnitude" && !by_norm) || prune.global) {
      return "Distiller ranks the weights of one parameter by their magnitude";
    }
    const bool full = std::ranges::any_of(prune.targets, [](const ir::Target& target) {
      return target.sparsity.value >= 1 || target.sparsity.value < 0;
    });
    if (full) {
      return "Distiller takes sparsities from 0 to below 1";
    }
    return whole || prune.structure.kind == Kind::unstructured
               ? std::nullopt
               : std::optional<std::string>("Distiller has no such blocks");
  }

  // Or constant, which has no course.
  static bool is_cubic(const ir::Prune& prune) {
    const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
    const auto* power = std::get_if<ir::PowerRamp>(&prune.curve);
    const bool constant = std::ranges::all_of(prune.targets, [&](const ir::Target& target) {
      return target.sparsity.value == ir::initial_sparsity(prune.curve)->value;
    });
    return constant || (ramp != nullptr && ramp->shape == ir::Shape::cubic) ||
           (power != nullptr && power->decays && power->exponent == 3) ||
           std::holds_alternative<ir::EpochCurve>(prune.curve);
  }

  // From where the way has not begun to where all of it is gone.
  std::optional<Epochs> exact_epochs(const ir::Cadence& cadence) const {
    const double start = std::max(cadence.start.value, 0.0);
    const double every = cadence.every && cadence.every->value > 0 ? cadence.every->value : 0;
    if (cadence.kind == ir::Cadence::Kind::since_last_update && cadence.end.value > 0) {
      return Epochs{start, cadence.end.value, every};
    }
    if (cadence.kind == ir::Cadence::Kind::whole_epochs && cadence.listed.empty()) {
      return Epochs{start, start + ir::epochs_passed(start, cadence.end.value, every), every};
    }
    const auto way = cadence.counted ? way_of(*cadence.counted) : std::nullopt;
    if (!way) {
      return std::nullopt;
    }
    const double steps =
        cadence.counted->in_epochs ? 1 : static_cast<double>(options_.read.steps_per_epoch.value_or(1));
    return Epochs{static_cast<double>(way->begin) / steps, static_cast<double>(way->last) / steps,
                  static_cast<double>(way->every) / steps, way->at_once};
  }

  // Whole epochs. What is none is moved to the nearest.
  std::optional<Epochs> epochs_of(const ir::Action& action, ActionStatus& status) {
    const auto exact = exact_epochs(action.cadence);
    if (!exact) {
      return std::nullopt;
    }
    if (exact->at_once) {
      return once(action, *exact, status);
    }
    Epochs epochs{std::nearbyint(exact->first), std::nearbyint(exact->last),
                  std::max(std::nearbyint(exact->every), 1.0)};
    if (epochs.last <= epochs.first) {
      return std::nullopt;
    }
    const bool whole = epochs.first == exact->first && epochs.last == exact->last && epochs.every == exact->every;
    const bool even = std::fmod(epochs.last - epochs.first, epochs.every) == 0;
    if (!even) {
      epochs.every = 1;
    }
    if (!whole || !even) {
      approximate(status, action, "Distiller prunes at the beginning of whole epochs");
    }
    return epochs;
  }

  std::optional<Epochs> once(const ir::Action& action, const Epochs& exact, ActionStatus& status) {
    const double epoch = std::nearbyint(exact.first);
    if (epoch != exact.first) {
      approximate(status, action, "Distiller prunes at the beginning of whole epochs");
    }
    return Epochs{epoch, epoch, 1, true};
  }

  bool add(const ir::Action& action, const ir::Prune& prune, std::size_t target, Epochs epochs,
           const source::List& names, ActionStatus& status) {
    const double last = prune.targets[target].sparsity.value;
    double first = epochs.at_once ? last : ir::initial_sparsity(prune.curve)->value;
    const double span = epochs.last - epochs.first;
    // A ramp from 0 would stop Distiller. From its second value on the rest of it is a ramp of the same kind.
    if (first <= 0 && last > 0 && span <= epochs.every) {
      approximate(status, action, "Distiller's ramps need two updates, so the last sparsity is set at once");
      first = last;
      epochs = {epochs.last, epochs.last, 1, true};
    } else if (first <= 0 && last > 0) {
      first = last + (first - last) * std::pow((span - epochs.every) / span, 3);
      epochs.first += epochs.every;
    }
    if (first > last) {
      drop(status, action, "Distiller's ramps only rise", sink_);
      return false;
    }
    const std::string name = "pruner_" + std::to_string(out_.policies.size() + 1);
    out_.components.push_back(pruner_of(prune, name, first, last, names));
    out_.policies.push_back({Section::pruners,
                             name,
                             {},
                             {{word("starting_epoch"), whole_number(epochs.first)},
                              {word("ending_epoch"), whole_number(epochs.last + 1)},
                              {word("frequency"), whole_number(epochs.every)}}});
    status.links.push_back({target, static_cast<int>(out_.policies.size()), 0});
    return true;
  }

  static Value whole_number(double value) { return {static_cast<std::int64_t>(value), {}}; }

  // --- names -------------------------------------------------------------------------------------------

  std::optional<std::vector<source::List>> names_of(const ir::Action& action, const ir::Prune& prune, ActionStatus& status) {
    std::vector<source::List> out;
    const bool named = std::ranges::all_of(prune.targets, [](const ir::Target& target) {
      return target.selector.excluded.empty() && !target.selector.terms.empty() &&
             std::ranges::all_of(target.selector.terms,
                                 [](const ir::Term& term) { return term.kind == ir::Term::Kind::exact; });
    });
    if (named) {
      for (const ir::Target& target : prune.targets) {
        source::List names;
        const std::string_view ending = target.selector.over == ir::Selector::Over::modules ? ".weight" : "";
        for (const ir::Term& term : target.selector.terms) names.push_back(word(term.text + std::string(ending)));
        out.push_back(std::move(names));
      }
      return out;
    }
    if (prune.targets.front().selector.over == ir::Selector::Over::modules) {
      status.kind = ActionStatus::Kind::dropped;
      status.reason = "Distiller wants full names, which `--modules` gives";
      sink_.report(diag::model_needed, action.origin.span, action.origin.class_name, status.reason);
      return std::nullopt;
    }
    if (options_.parameters == nullptr) {
      status.kind = ActionStatus::Kind::dropped;
      status.reason = "Distiller wants full names, which `--params` gives";
      sink_.report(diag::model_needed, action.origin.span, action.origin.class_name, status.reason);
      return std::nullopt;
    }
    for (const auto& matched : ir::parameters_of_targets(prune, *options_.parameters)) {
      source::List names;
      for (const std::string& name : matched) names.push_back(word(name));
      out.push_back(std::move(names));
    }
    return out;
  }

  // --- what is lost --------------------------------------------------------------------------------------

  void approximate(ActionStatus& status, const ir::Action& action, std::string_view reason) {
    dialect::approximate(status, action, reason, sink_);
  }

  void report_losses(const ir::Action& action, const ir::Prune& prune, ActionStatus& status) {
    if (prune.structure.kind != ir::Structure::Kind::unstructured && prune.criterion == "magnitude") {
      approximate(status, action, "the same number of structures goes, but Distiller ranks them by another norm");
    }
    if (!prune.hold_after_end) {
      sink_.report(diag::field_dropped, action.origin.place("leave_enabled"), "leave_enabled", action.origin.class_name,
                   "Distiller");
      status.approximate("masks stay in force after the end");
    }
    report_losses_of_nni(recipe_, action, prune, options_, "Distiller", status, sink_);
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  diag::Sink& sink_;
  Draft out_;
};

Draft translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return Translator(recipe, options, sink).run();
}

}  // namespace sparsecfg::dialect::distiller
