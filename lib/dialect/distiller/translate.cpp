#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "dialect/distiller/write.h"
#include "ir/matching.h"

// What other dialects' actions become (reference/distiller-to-sparseml.md, read backwards).
namespace sparsecfg::dialect::distiller {

using source::Value;

// Epochs in which a policy is active: each `every` from the first to the last, both included.
struct Epochs {
  double first = 0;
  double last = 0;
  double every = 1;
};

class Translator {
 public:
  Translator(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) : recipe_(recipe), options_(options), sink_(sink) {
    for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
      out_.fates.push_back({index, Fate::Kind::kept, "", {}});
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
    const auto no = [&](std::string_view reason) { drop(out_.fates[index], recipe_.actions[index], std::string(reason), sink_); };
    std::visit(base::Overloaded{
                   [&](const ir::Prune& prune) { translate(index, prune); },
                   [&](const ir::EpochRange&) { out_.fates[index].reason = "the length is the `--epochs` of the training script"; },
                   [&](const ir::SetLearningRate&) {},
                   [&](const ir::LearningRateCurve&) {},
                   [&](const ir::TorchScheduler&) {},
                   [&](const ir::HoldMask&) { no("no pruner keeps the zeros that are there"); },
                   [&](const ir::Quantize&) { no("Distiller quantizes by other functions"); },
                   [&](const ir::Distill&) { no("a schedule knows no teacher"); },
                   [&](const auto&) { no("Distiller has no counterpart"); },
               },
               recipe_.actions[index].effect);
  }

  // Nothing of the recipe would be left.
  void drop_lengths() {
    for (Fate& fate : out_.fates) {
      if (fate.kind != Fate::Kind::dropped) {
        drop(fate, recipe_.actions[fate.action], "a schedule needs a policy, and nothing else becomes one", sink_);
      }
    }
  }

  void add_notes() {
    out_.notes.emplace_back("Distiller cuts the number of weights down to a whole one, so a tensor may lose one more or one less");
    out_.notes.emplace_back("Distiller does not mask gradients, and passes over names that are not in the model");
  }

  // --- pruning ---------------------------------------------------------------------------------------

  void translate(std::size_t index, const ir::Prune& prune) {
    const ir::Action& action = recipe_.actions[index];
    Fate& fate = out_.fates[index];
    if (const auto reason = obstacle(prune)) {
      return drop(fate, action, *reason, sink_);
    }
    const auto epochs = epochs_of(action, fate);
    if (!epochs) {
      return drop(fate, action, "it has no end, or none that a whole epoch comes near", sink_);
    }
    const auto names = names_of(action, prune, fate);
    for (std::size_t target = 0; names && target < prune.targets.size(); ++target) {
      if (!(*names)[target].empty() && !add(action, prune, target, *epochs, (*names)[target], fate)) {
        return;
      }
    }
    if (names) {
      report_losses(action, prune, fate);
    }
  }

  static std::optional<std::string> obstacle(const ir::Prune& prune) {
    using Kind = ir::Structure::Kind;
    if (prune.targets.empty()) {
      return "it names no parameter";
    }
    const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
    if (ramp == nullptr || !ramp->from) {
      return "Distiller has no such course of sparsity";
    }
    const bool constant = std::ranges::all_of(prune.targets, [&](const ir::Target& target) { return target.sparsity.value == ramp->from->value; });
    if (ramp->shape != ir::Shape::cubic && !constant) {
      return "Distiller's ramp is cubic";
    }
    if (prune.criterion != "magnitude" || prune.global) {
      return "Distiller ranks the weights of one parameter by their magnitude";
    }
    const bool known = prune.structure.kind == Kind::unstructured || prune.structure.kind == Kind::filter || prune.structure.kind == Kind::channel;
    return known ? std::nullopt : std::optional<std::string>("Distiller has no such blocks");
  }

  // SparseML's epochs as whole ones. Those that are none are moved to the nearest.
  std::optional<Epochs> epochs_of(const ir::Action& action, Fate& fate) {
    const ir::Cadence& cadence = action.cadence;
    const bool dated = cadence.kind == ir::Cadence::Kind::drifting && cadence.end.value > 0;
    if (!dated) {
      return std::nullopt;
    }
    const double start = std::max(cadence.start.value, 0.0);
    const double every = cadence.every && cadence.every->value > 0 ? cadence.every->value : 0;
    Epochs epochs{std::nearbyint(start), std::nearbyint(cadence.end.value), std::max(std::nearbyint(every), 1.0)};
    if (epochs.last <= epochs.first) {
      return std::nullopt;
    }
    const bool whole = epochs.first == start && epochs.last == cadence.end.value && epochs.every == every;
    const bool even = std::fmod(epochs.last - epochs.first, epochs.every) == 0;
    if (!even) {
      epochs.every = 1;
    }
    if (!whole || !even) {
      approximate(fate, action, "Distiller prunes at the beginning of whole epochs");
    }
    return epochs;
  }

  bool add(const ir::Action& action, const ir::Prune& prune, std::size_t target, Epochs epochs, const source::List& names, Fate& fate) {
    const double last = prune.targets[target].sparsity.value;
    double first = ir::initial_sparsity(prune.curve)->value;
    const bool whole = prune.structure.kind != ir::Structure::Kind::unstructured;
    const double span = epochs.last - epochs.first;
    // A ramp from 0 would stop Distiller. From its second value on the rest of it is a ramp of the same kind.
    if (first <= 0 && last > 0) {
      if (span <= epochs.every) {
        drop(fate, action, "a ramp from 0 needs more than one update", sink_);
        return false;
      }
      first = last + (first - last) * std::pow((span - epochs.every) / span, 3);
      epochs.first += epochs.every;
    }
    if (first > last) {
      drop(fate, action, "Distiller's ramps only rise", sink_);
      return false;
    }
    const std::string name = "pruner_" + std::to_string(out_.policies.size() + 1);
    out_.components.push_back(component(name, whole ? group_of(prune.structure) : "", first, last, names));
    out_.policies.push_back({Section::pruners, name, {},
                             {{word("starting_epoch"), whole_number(epochs.first)},
                              {word("ending_epoch"), whole_number(epochs.last + 1)},
                              {word("frequency"), whole_number(epochs.every)}}});
    fate.links.push_back({target, static_cast<int>(out_.policies.size()), 0});
    return true;
  }

  static Value whole_number(double value) { return {static_cast<std::int64_t>(value), {}}; }

  static std::string group_of(const ir::Structure& structure) {
    return structure.kind == ir::Structure::Kind::channel ? "Channels" : "Filters";
  }

  static ComponentDraft component(const std::string& name, const std::string& group, double first, double last, const source::List& names) {
    ComponentDraft draft{Section::pruners, name, "", {}};
    if (first == last && group.empty()) {
      source::Map levels;
      for (const Value& each : names) {
        levels.emplace_back(each, Value{last, {}});
      }
      draft.class_name = "SparsityLevelParameterPruner";
      draft.arguments.emplace_back(word("levels"), Value{std::move(levels), {}});
      return draft;
    }
    const bool constant = first == last;
    draft.class_name = group.empty() ? "AutomatedGradualPruner" : constant ? "L2RankedStructureParameterPruner" : "L2RankedStructureParameterPruner_AGP";
    if (!group.empty()) {
      draft.arguments.emplace_back(word("group_type"), word(group));
    }
    if (constant) {
      draft.arguments.emplace_back(word("desired_sparsity"), Value{last, {}});
    } else {
      draft.arguments.emplace_back(word("initial_sparsity"), Value{first, {}});
      draft.arguments.emplace_back(word("final_sparsity"), Value{last, {}});
    }
    draft.arguments.emplace_back(word("weights"), Value{names, {}});
    return draft;
  }

  // --- names -------------------------------------------------------------------------------------------

  std::optional<std::vector<source::List>> names_of(const ir::Action& action, const ir::Prune& prune, Fate& fate) {
    std::vector<source::List> out;
    const bool named = std::ranges::all_of(prune.targets, [](const ir::Target& target) {
      return std::ranges::all_of(target.selector.terms, [](const ir::Term& term) { return term.kind == ir::Term::Kind::exact; });
    });
    if (named) {
      for (const ir::Target& target : prune.targets) {
        source::List names;
        for (const ir::Term& term : target.selector.terms) names.push_back(word(term.text));
        out.push_back(std::move(names));
      }
      return out;
    }
    if (options_.parameters == nullptr) {
      fate.kind = Fate::Kind::dropped;
      fate.reason = "Distiller wants full names, which `--params` gives";
      sink_.report(diag::model_needed, action.origin.span, action.origin.class_name, fate.reason);
      return std::nullopt;
    }
    for (const auto& taken : ir::parameters_of_targets(prune, *options_.parameters)) {
      source::List names;
      for (const std::string& name : taken) names.push_back(word(name));
      out.push_back(std::move(names));
    }
    return out;
  }

  // --- what is lost --------------------------------------------------------------------------------------

  void approximate(Fate& fate, const ir::Action& action, std::string_view reason) {
    sink_.report(diag::schedule_approximated, action.origin.span, action.origin.class_name, reason);
    fate.approximate(reason);
  }

  void report_losses(const ir::Action& action, const ir::Prune& prune, Fate& fate) {
    if (prune.structure.kind != ir::Structure::Kind::unstructured) {
      approximate(fate, action, "the same number of structures goes, but Distiller ranks them by another norm");
    }
    if (!prune.hold_after_end) {
      sink_.report(diag::field_dropped, action.origin.place("leave_enabled"), "leave_enabled", action.origin.class_name, "Distiller");
      fate.approximate("masks stay in force after the end");
    }
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  diag::Sink& sink_;
  Draft out_;
};

Draft translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) { return Translator(recipe, options, sink).run(); }

}  // namespace sparsecfg::dialect::distiller
