#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "base/overloaded.h"
#include "dialect/sparseml/write/write.h"
#include "dialect/write.h"

// Converts actions of other dialects to SparseML modifiers.
namespace sparsecfg::dialect::sparseml {

using source::Value;

class Translator {
 public:
  Translator(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink)
      : recipe_(recipe), options_(options), sink_(sink) {
    out_.statuses.resize(recipe.actions.size());
    for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
      out_.statuses[index].action = index;
    }
  }

  Translation run() {
    add_length();
    std::ranges::move(rate_modifiers(recipe_, options_, out_.statuses, sink_), std::back_inserter(out_.drafts));
    for (std::size_t index = 0; index < recipe_.actions.size(); ++index) {
      translate(index);
    }
    add(quantization_modifier(recipe_, options_, out_.statuses, sink_));
    add_variable();
    add_notes();
    return std::move(out_);
  }

 private:
  void add_length() {
    if (options_.epochs) {
      Draft draft{"EpochRangeModifier", "", "training_modifiers", {}};
      draft.set("start_epoch", real(0));
      draft.set("end_epoch", real(*options_.epochs));
      out_.drafts.push_back(std::move(draft));
    }
  }

  void place_penalty(std::size_t index) {
    const ir::Action& action = recipe_.actions[index];
    if (const std::string& script = options_.plan.of(index).in_script; !script.empty()) {
      mark_not_converted(out_.statuses[index], action, "SparseML", script, sink_);
    } else {
      drop(out_.statuses[index], action, "SparseML does not support this loss penalty", sink_);
    }
  }

  void add(std::optional<Draft> draft) {
    if (draft) out_.drafts.push_back(*std::move(draft));
  }

  // Adds a variable for the initial rate of the trainer if it is unknown.
  void add_variable() {
    if (options_.rate_is_variable) {
      out_.variables.push_back({"init_lr", "", {}, real(*options_.initial_rate)});
      out_.instructions.push_back(
          fmt::format("set the variable `init_lr` to the initial learning rate of your training; {} is only an example",
                      base::python_repr(*options_.initial_rate)));
    }
  }

  void translate(std::size_t index) {
    const auto no = [&](std::string_view reason) {
      drop(out_.statuses[index], recipe_.actions[index], std::string(reason), sink_);
    };
    std::visit(base::Overloaded{
                   [&](const ir::Prune& prune) { translate_pruner(recipe_, options_, index, prune, out_, sink_); },
                   [&](const ir::ThresholdPrune& prune) { no(reason_of(prune)); },
                   [&](const ir::Regularize&) { place_penalty(index); },
                   [&](const ir::Quantize&) {},  // written by quantization_modifier()
                   [&](const ir::Distill& distill) {
                     add(distillation_modifier(recipe_.actions[index], distill, out_.statuses[index], sink_));
                   },
                   [&](const ir::Opaque&) { translate_unknown(index); },
                   [&](const ir::EpochScheduler&) {},
                   [&](const ir::EpochRange&) {},  // written by add_length()
                   [&](const ir::SetLearningRate&) {},
                   [&](const ir::LearningRateCurve&) {},
                   [&](const ir::TorchScheduler&) {},
                   [&](const ir::SetWeightDecay& decay) { add_weight_decay(index, decay); },
                   [&](const ir::HoldMask& hold) { add_for(index, "ConstantPruningModifier", hold.selector, {}); },
                   [&](const ir::SetTrainable& trainable) {
                     add_for(index, "TrainableParamsModifier", trainable.selector,
                             {{word("trainable"), {trainable.trainable, {}}}});
                   },
                   [&](const ir::SetParameter&) { no("SparseML has no equivalent"); },
               },
               recipe_.actions[index].effect);
  }

  void add_weight_decay(std::size_t index, const ir::SetWeightDecay& decay) {
    Draft draft{"SetWeightDecayModifier", "", "training_modifiers", {}};
    draft.set("start_epoch", real(recipe_.actions[index].cadence.start.value));
    draft.set("weight_decay", real(decay.decay.value));
    out_.drafts.push_back(std::move(draft));
  }

  // Adds a modifier for the parameters that a selector matches, with the window of the action.
  void add_for(std::size_t index, std::string_view class_name, const model::Selector& selector, source::Map fields) {
    const ir::Action& action = recipe_.actions[index];
    const ir::Prune as_prune{ir::Constant{}, {{{0, {}}, selector}}, {}, "magnitude"};
    const auto names = names_of_targets(action, as_prune, options_, out_.statuses[index], sink_);
    if (names) {
      Draft draft{std::string(class_name), "", "pruning_modifiers", std::move(fields)};
      draft.set("start_epoch", real(action.cadence.start.value));
      draft.set("end_epoch", real(action.cadence.end_or(-1)));
      draft.set("params", params_of(names->front()));
      out_.drafts.push_back(std::move(draft));
    }
  }

  static std::string_view reason_of(const ir::ThresholdPrune& prune) {
    const bool by_deviations = !prune.thresholds.empty() && prune.thresholds.front().deviations;
    return prune.criterion == "random" ? "its sparsity level is random"
           : by_deviations
               ? "it removes weights below a threshold, but SparseML removes a fraction of them; convert it with "
                 "`--assume-gaussian`"
               : "it removes weights below a threshold, but SparseML removes a fraction of them";
  }

  // Instances that no policy uses are ignored.
  void translate_unknown(std::size_t index) {
    const ir::Action& action = recipe_.actions[index];
    if (action.origin.ordinal == 0) {
      out_.statuses[index].reason = "it is not used, so it is omitted";
    } else if (options_.plan.of(index).does_nothing) {
      out_.statuses[index].reason = "it masks no weights, so it is omitted";
    } else if (std::get<ir::Opaque>(action.effect).shrinks_model) {
      mark_not_converted(out_.statuses[index], action, "SparseML",
                         "SparseML does not shrink the model: remove the masked structures after training", sink_);
    } else {
      drop(out_.statuses[index], action, "SparseML has no equivalent", sink_);
    }
  }

  void add_notes() {
    const auto prunes = [&](const Draft& draft) { return draft.group == "pruning_modifiers"; };
    if (std::ranges::none_of(out_.drafts, prunes)) {
      return;
    }
    out_.notes.emplace_back(
        "SparseML rounds the number of pruned weights, so a tensor may have one more or one fewer zero");
    out_.notes.emplace_back("SparseML sets masks in the first step of an epoch and also masks gradients");
    if (options_.parameters == nullptr) {
      out_.notes.emplace_back(
          "SparseML fails if a parameter name is not in the model; pass `--params` to omit such names");
    }
    if (options_.plan.names_are_wrapped && options_.parameters == nullptr && starts_parallel()) {
      out_.notes.emplace_back(
          "the prefix `module.` was removed from names; models have it only while wrapped for several devices");
    }
  }

  bool starts_parallel() const {
    return std::ranges::any_of(recipe_.actions, [](const ir::Action& action) {
      return std::ranges::any_of(ir::selectors_of(action.effect), [](const model::Selector* selector) {
        return std::ranges::any_of(selector->terms,
                                   [](const model::Term& term) { return term.text.starts_with(kParallel); });
      });
    });
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  diag::Sink& sink_;
  Translation out_;
};

Translation translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return Translator(recipe, options, sink).run();
}

}  // namespace sparsecfg::dialect::sparseml
