#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "dialect/foreign.h"
#include "dialect/nni/print.h"
#include "dialect/nni/write.h"
#include "ir/clock.h"

// What other dialects' actions become (reference/nni-and-sparseml.md).
namespace sparsecfg::dialect::nni {

using source::Value;

class Translator {
 public:
  Translator(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink)
      : recipe_(recipe),
        options_(options),
        sink_(sink),
        weights_(options, sink),
        steps_per_epoch_(options.read.steps_per_epoch.value_or(1)) {
    for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
      out_.statuses.push_back({index, ActionStatus::Kind::kept, "", {}});
    }
  }

  Written run() {
    for (std::size_t index = 0; index < recipe_.actions.size(); ++index) {
      translate(index);
    }
    quantizers_ = quantizers_of(recipe_, options_, out_.statuses, sink_);
    out_.begin = place(pieces_, quantizers_, recipe_, options_, out_.statuses, sink_);
    if (pieces_.empty() && quantizers_.empty()) {
      drop_rest();
      return std::move(out_);
    }
    const bool prunes = !pieces_.empty();
    Assembly assembly = assemble(std::move(pieces_), std::move(quantizers_), out_.begin, options_, out_.statuses);
    out_.text = print(std::move(assembly.document));
    out_.read_with = {{kReleaseOption.name, name_of(Release::v3_0)}};
    add_notes(assembly, prunes);
    return std::move(out_);
  }

 private:
  void translate(std::size_t index) {
    const auto no = [&](std::string_view reason) {
      drop(out_.statuses[index], recipe_.actions[index], std::string(reason), sink_);
    };
    const auto elsewhere = [&](std::string_view what) {
      place_elsewhere(out_.statuses[index], recipe_.actions[index], "NNI", std::string(what), sink_);
    };
    constexpr std::string_view kNoRate = "the training script sets the learning rate";
    std::visit(base::Overloaded{
                   [&](const ir::Prune& prune) { translate(index, prune); },
                   [&](const ir::EpochRange&) {
                     elsewhere("the training script takes the length, or `compress` is given it");
                   },
                   [&](const ir::SetLearningRate&) { elsewhere(kNoRate); },
                   [&](const ir::LearningRateCurve&) { elsewhere(kNoRate); },
                   [&](const ir::TorchScheduler&) { elsewhere(kNoRate); },
                   [&](const ir::EpochScheduler&) {
                     elsewhere(moves_momentum(recipe_.actions[index])
                                   ? "the training script sets the learning rate, and the momentum that moves with it"
                                   : kNoRate);
                   },
                   [&](const ir::SetWeightDecay&) { elsewhere("the training script sets the weight decay"); },
                   [&](const ir::HoldMask&) { no("no pruner keeps the zeros that are there"); },
                   [&](const ir::ThresholdPrune&) { no("NNI compares its thresholds with other scores"); },
                   [&](const ir::Regularize& penalty) {
                     const auto script = penalty_in_script(recipe_.actions[index], penalty);
                     script ? elsewhere(*script) : no("NNI has no such penalty on the loss");
                   },
                   [&](const ir::Quantize&) {},  // quantizers_of() writes all of them
                   [&](const ir::Distill&) { no("NNI weighs the teacher in another way"); },
                   [&](const ir::Opaque&) { translate_unknown(index); },
                   [&](const base::AnyOf<ir::SetTrainable, ir::SetParameter, ir::Regularize> auto&) {
                     no("NNI has no counterpart");
                   },
               },
               recipe_.actions[index].effect);
  }

  // What no policy uses does nothing.
  void translate_unknown(std::size_t index) {
    const ir::Action& action = recipe_.actions[index];
    if (action.origin.ordinal == 0) {
      out_.statuses[index].reason = "nothing uses it; it is left out";
    } else if (std::get<ir::Opaque>(action.effect).shrinks_model) {
      place_elsewhere(out_.statuses[index], action, "NNI",
                      "the network is not made smaller: NNI's `ModelSpeedup` does that after the training", sink_);
    } else {
      drop(out_.statuses[index], action, "NNI has no counterpart", sink_);
    }
  }

  // Nothing of the recipe would be left.
  void drop_rest() {
    for (ActionStatus& status : out_.statuses) {
      if (status.kind != ActionStatus::Kind::dropped && status.kind != ActionStatus::Kind::elsewhere) {
        drop(status, recipe_.actions[status.action], "no entry is left that the configuration could hold", sink_);
      }
    }
  }

  // --- pruning ---------------------------------------------------------------------------------------

  void translate(std::size_t index, const ir::Prune& prune) {
    const ir::Action& action = recipe_.actions[index];
    ActionStatus& status = out_.statuses[index];
    if (auto script = dropping_in_script(recipe_, action, prune)) {
      return place_elsewhere(status, action, "NNI", *std::move(script), sink_);
    }
    if (const auto reason = obstacle(prune)) {
      return drop(status, action, *reason, sink_);
    }
    if (discards_masks(action)) {
      return drop(status, action, "it takes its masks away again, and NNI keeps them", sink_);
    }
    if (!options_.read.steps_per_epoch && !acts_at_once(action, prune)) {
      return drop_without_steps(status, action, "epochs", "steps", sink_);
    }
    if (listed_ > options_.max_nodes) {
      return drop(status, action, too_many_nodes(options_), sink_);
    }
    const auto modules = weights_.of(action, prune, status);
    for (std::size_t target = 0; modules && target < modules->size(); ++target) {
      listed_ += (*modules)[target].names.size();
    }
    for (std::size_t target = 0; modules && target < prune.targets.size(); ++target) {
      if (!(*modules)[target].empty() && !add(index, prune, target, (*modules)[target])) {
        return;
      }
    }
    if (modules) {
      report_losses(action, prune, status);
    }
  }

  // At the first step, with the last sparsity: no step is counted.
  bool acts_at_once(const ir::Action& action, const ir::Prune& prune) {
    return std::ranges::all_of(prune.targets, [&](const ir::Target& target) {
      const auto updates = updates_of(action.cadence, prune.curve, target.sparsity.value, 1, updates_left_);
      return updates && updates->front().step == 0 && updates->front().sparsity == target.sparsity.value;
    });
  }

  bool add(std::size_t index, const ir::Prune& prune, std::size_t target, const Modules& modules) {
    const ir::Action& action = recipe_.actions[index];
    const double sparsity = prune.targets[target].sparsity.value;
    const auto updates = updates_of(action.cadence, prune.curve, sparsity, steps_per_epoch_, updates_left_);
    if (!updates) {
      drop(out_.statuses[index], action, "nothing says when it arrives, or it has more updates than can be followed",
           sink_);
      return false;
    }
    const bool moves = prune.criterion == "movement";
    const auto course = course_of(*updates, sparsity, is_cubic(prune.curve), moves ? 1 : interval(action.cadence));
    if (course && moves && (course->at_once() || !course->cubic)) {
      drop(out_.statuses[index], action, "NNI's ratio for movement rises by a cubic curve", sink_);
      return false;
    }
    if (course) {
      pieces_.push_back({index, target, action.origin.ordinal, sparsity, modules, *course, std::string(maker_of(prune)),
                         granularity(prune.structure),
                         prune.global ? Value{std::int64_t{action.origin.ordinal}, {}} : Value{}});
    }
    return true;
  }

  std::uint64_t interval(const ir::Cadence& cadence) const {
    const double steps = cadence.every ? cadence.every->value * static_cast<double>(steps_per_epoch_) : 1;
    return static_cast<std::uint64_t>(std::clamp(std::nearbyint(steps), 1.0, ir::kMaxEpochs));
  }

  // --- what is lost --------------------------------------------------------------------------------------

  void report_losses(const ir::Action& action, const ir::Prune& prune, ActionStatus& status) {
    const bool filters = prune.structure.kind == ir::Structure::Kind::filter && prune.criterion != "magnitude";
    if (prune.structure.kind != ir::Structure::Kind::unstructured && !filters) {
      approximate(status, action, "NNI ranks the structures by another norm", sink_);
    }
    if (prune.criterion == "movement") {
      approximate(
          status, action,
          "NNI learns the scores with an optimizer of its own, for whole outputs unless `granularity` says otherwise",
          sink_);
    }
    if (!prune.hold_after_end && action.origin.find("leave_enabled") != nullptr) {
      dialect::report(status, sink_, diag::field_dropped, action.origin.place("leave_enabled"), "leave_enabled",
                      action.origin.class_name, "NNI");
      status.approximate("masks stay in force after the end");
    }
    report_lost_arguments(action, "NNI", status, sink_);
  }

  // --- what is said besides --------------------------------------------------------------------------------

  void add_notes(const Assembly& assembly, bool prunes) {
    out_.instructions.emplace_back("NNI reads no such file; a script has to say the same:");
    if (out_.begin > 0) {
      out_.instructions.push_back(fmt::format("  {} steps of training without NNI, then", out_.begin));
    }
    std::ranges::copy(rate_lines(recipe_, options_), std::back_inserter(out_.instructions));
    for (const std::string& call : assembly.calls) {
      out_.instructions.push_back("  " + call);
    }
    if (prunes) {
      out_.notes.emplace_back(
          "NNI cuts the number of weights down to a whole one, so a tensor may lose one more or one less");
    }
    if (options_.read.modules == nullptr) {
      out_.notes.emplace_back(
          "NNI stops at a module that the model lacks or that is of a type without settings, and knows types by their "
          "exact name; "
          "`--modules` names what can be pruned");
    }
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  diag::Sink& sink_;
  Weights weights_;
  std::size_t listed_ = 0;  // modules of the model
  std::size_t updates_left_ = kMaxUpdatesOfAll;
  std::uint64_t steps_per_epoch_;
  std::vector<Piece> pieces_;
  std::vector<Quantizer> quantizers_;
  Written out_;
};

Written translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return Translator(recipe, options, sink).run();
}

}  // namespace sparsecfg::dialect::nni
