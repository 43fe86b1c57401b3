#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/limits.h"
#include "base/overloaded.h"
#include "dialect/nni/config.h"
#include "dialect/nni/write.h"
#include "dialect/write.h"
#include "ir/clock.h"

// Conversion of actions of other dialects (docs/semantics/conversions.md#b1).
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

  WriteResult run() {
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
      mark_not_converted(out_.statuses[index], recipe_.actions[index], "NNI", std::string(what), sink_);
    };
    constexpr std::string_view kNoRate = "set the learning rate in the training script";
    std::visit(base::Overloaded{
                   [&](const ir::Prune& prune) { translate(index, prune); },
                   [&](const ir::EpochRange&) { elsewhere("set the length in the training script, or in `compress`"); },
                   [&](const ir::SetLearningRate&) { elsewhere(kNoRate); },
                   [&](const ir::LearningRateCurve&) { elsewhere(kNoRate); },
                   [&](const ir::TorchScheduler&) { elsewhere(kNoRate); },
                   [&](const ir::EpochScheduler&) {
                     elsewhere(options_.plan.of(index).moves_momentum
                                   ? "set the learning rate and the momentum that follows it in the training script"
                                   : kNoRate);
                   },
                   [&](const ir::SetWeightDecay&) { elsewhere("set the weight decay in the training script"); },
                   [&](const ir::HoldMask&) { no("NNI pruners can't keep existing zeros"); },
                   [&](const ir::ThresholdPrune&) { no("NNI compares thresholds with other scores"); },
                   [&](const ir::Regularize&) {
                     const std::string& script = options_.plan.of(index).in_script;
                     script.empty() ? no("NNI does not support this loss penalty") : elsewhere(script);
                   },
                   [&](const ir::Quantize&) {},  // quantizers_of() writes all of them
                   [&](const ir::Distill&) { no("NNI weights the teacher loss differently"); },
                   [&](const ir::Opaque&) { translate_unknown(index); },
                   [&](const base::AnyOf<ir::SetTrainable, ir::SetParameter, ir::Regularize> auto&) {
                     no("NNI does not support this");
                   },
               },
               recipe_.actions[index].effect);
  }

  // Components that no policy uses are ignored.
  void translate_unknown(std::size_t index) {
    const ir::Action& action = recipe_.actions[index];
    if (action.origin.ordinal == 0) {
      out_.statuses[index].reason = "unused, so it is omitted";
    } else if (std::get<ir::Opaque>(action.effect).shrinks_model) {
      mark_not_converted(out_.statuses[index], action, "NNI",
                         "use NNI's `ModelSpeedup` after training to shrink the network", sink_);
    } else {
      drop(out_.statuses[index], action, "NNI does not support this", sink_);
    }
  }

  // Drops the remaining actions if the configuration would be empty.
  void drop_rest() {
    for (ActionStatus& status : out_.statuses) {
      if (status.kind != ActionStatus::Kind::dropped && status.kind != ActionStatus::Kind::not_converted) {
        drop(status, recipe_.actions[status.action], "the configuration would be empty", sink_);
      }
    }
  }

  // --- pruning ---------------------------------------------------------------------------------------

  void translate(std::size_t index, const ir::Prune& prune) {
    const ir::Action& action = recipe_.actions[index];
    ActionStatus& status = out_.statuses[index];
    const ActionPlan& plan = options_.plan.of(index);
    if (!plan.in_script.empty()) {
      return mark_not_converted(status, action, "NNI", plan.in_script, sink_);
    }
    if (const auto reason = obstacle(prune)) {
      return drop(status, action, *reason, sink_);
    }
    if (plan.discards_masks) {
      return drop(status, action, "its masks are temporary, but NNI keeps masks", sink_);
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
      report_losses(plan, action, prune, status);
    }
  }

  // Returns true if the final sparsity is set in the first step, so no step numbers are needed.
  bool acts_at_once(const ir::Action& action, const ir::Prune& prune) {
    return std::ranges::all_of(prune.targets, [&](const ir::Target& target) {
      const auto updates = ir::updates_of(action.cadence, prune.curve, target.sparsity.value, 1, updates_left_);
      return updates && updates->front().step == 0 && updates->front().sparsity == target.sparsity.value;
    });
  }

  bool add(std::size_t index, const ir::Prune& prune, std::size_t target, const Modules& modules) {
    const ir::Action& action = recipe_.actions[index];
    const double sparsity = prune.targets[target].sparsity.value;
    const auto updates = ir::updates_of(action.cadence, prune.curve, sparsity, steps_per_epoch_, updates_left_);
    if (!updates) {
      drop(out_.statuses[index], action, "its updates can't be computed: the end is unknown, or there are too many",
           sink_);
      return false;
    }
    const bool moves = prune.criterion == "movement";
    const auto course = fit_ramp(*updates, sparsity, is_cubic(prune.curve), moves ? 1 : interval(action.cadence));
    if (course && moves && (course->at_once() || !course->cubic)) {
      drop(out_.statuses[index], action, "NNI supports only a cubic ramp for movement pruning", sink_);
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
    const double steps =
        cadence.every() != nullptr ? cadence.every()->value * static_cast<double>(steps_per_epoch_) : 1;
    return static_cast<std::uint64_t>(std::clamp(std::nearbyint(steps), 1.0, ir::kMaxEpochs));
  }

  // --- differences --------------------------------------------------------------------------------------

  void report_losses(const ActionPlan& plan, const ir::Action& action, const ir::Prune& prune, ActionStatus& status) {
    const bool filters = prune.structure.kind == ir::Structure::Kind::filter && prune.criterion != "magnitude";
    if (prune.structure.kind != ir::Structure::Kind::unstructured && !filters) {
      approximate(status, action, "NNI ranks structures by a different norm", sink_);
    }
    if (prune.criterion == "movement") {
      approximate(status, action,
                  "NNI learns scores with a separate optimizer, and per output channel unless `granularity` is set",
                  sink_);
    }
    report_lost_fields(plan, action, "NNI", status, sink_);
  }

  // --- instructions and notes --------------------------------------------------------------------------------

  void add_notes(const Assembly& assembly, bool prunes) {
    out_.instructions.emplace_back("NNI does not read this file. Add the equivalent calls to the training script:");
    if (out_.begin > 0) {
      out_.instructions.push_back(fmt::format("  # after {} training steps without NNI:", out_.begin));
    }
    std::ranges::copy(rate_lines(recipe_, options_), std::back_inserter(out_.instructions));
    for (const std::string& call : assembly.calls) {
      out_.instructions.push_back("  " + call);
    }
    if (prunes) {
      out_.notes.emplace_back(
          "NNI rounds the number of weights down, so the masked weights of a tensor may differ by one");
    }
    if (options_.read.modules == nullptr) {
      out_.notes.emplace_back(
          "NNI fails on modules that the model lacks and on types without settings, and compares type names "
          "exactly; "
          "pass `--modules` to select only supported modules");
    }
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  diag::Sink& sink_;
  Weights weights_;
  std::size_t listed_ = 0;  // number of listed modules
  std::size_t updates_left_ = limits::kMaxUpdatesPerRecipe;
  std::uint64_t steps_per_epoch_;
  std::vector<Piece> pieces_;
  std::vector<Quantizer> quantizers_;
  WriteResult out_;
};

WriteResult translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return Translator(recipe, options, sink).run();
}

}  // namespace sparsecfg::dialect::nni
