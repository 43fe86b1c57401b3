#include "dialect/pytorch/entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/overloaded.h"
#include "dialect/pytorch/entry_parts.h"
#include "dialect/write.h"
#include "ir/describe.h"

namespace sparsecfg::dialect::pytorch {

// Returns a value that a parameter is set to. Lists may be long.
static Text value_text(const source::Value& value) {
  const auto* items = std::get_if<source::List>(&value.data);
  if (items == nullptr) {
    return {source::python_str(value)};
  }
  std::vector<Text> parts;
  std::ranges::transform(*items, std::back_inserter(parts), value_text);
  return list(std::move(parts));
}

class Entries : private EntryParts {
 public:
  using EntryParts::EntryParts;

  Entry make() const {
    return std::visit(
        base::Overloaded{
            [](const ir::EpochRange&) { return Entry{}; },
            [&](const ir::Prune& prune) { return pruning_entry(*this, prune); },
            [&](const ir::HoldMask& hold) { return holding(hold); },
            [&](const base::AnyOf<ir::SetLearningRate, ir::LearningRateCurve, ir::TorchScheduler, ir::EpochScheduler,
                                  ir::SetWeightDecay> auto& rate) { return rate_entry(*this, rate); },
            [&](const ir::SetTrainable& trainable) { return training(trainable); },
            [](const ir::Opaque&) { return refuse("PyTorch files do not support this action"); },
            [&](const ir::ThresholdPrune& prune) { return limit_entry(*this, prune); },
            [&](const ir::Regularize& penalty) { return limit_entry(*this, penalty); },
            [&](const ir::SetParameter& set) { return setting(set); },
            [](const ir::Quantize&) { return refuse("quantize with `torch.ao.quantization` in the training script"); },
            [](const ir::Distill&) { return refuse("set the teacher and its loss in the training script"); },
        },
        action_.effect);
  }

 private:
  Entry setting(const ir::SetParameter& set) const {
    if (set.from) {
      return refuse("gradual changes of parameters are not supported");
    }
    std::vector<Text> arguments = with_strictness(selected(set.selector, options_, parts_), set.selector);
    arguments.insert(arguments.begin() + 1, value_text(set.to));
    return made("SetParameter", phase(action_.cadence, false, parts_), std::move(arguments));
  }

  Entry holding(const ir::HoldMask& hold) const {
    if (const std::string reason = refusal(hold.selector); !reason.empty()) {
      return refuse(reason);
    }
    return made("Hold", when(at_every_step(action_.cadence), parts_),
                with_strictness(selected(hold.selector, options_, parts_), hold.selector));
  }

  Entry training(const ir::SetTrainable& trainable) const {
    if (const std::string reason = refusal(trainable.selector); !reason.empty()) {
      return refuse(reason);
    }
    std::vector<Text> arguments = with_strictness(selected(trainable.selector, options_, parts_), trainable.selector);
    arguments.insert(arguments.begin() + 1, boolean(trainable.trainable));
    if (trainable.in_first_step) arguments.push_back(named("within_first_step", boolean(true)));
    return made("Trainable", phase(action_.cadence, true, parts_), std::move(arguments));
  }
};

Entry entry_of(const ir::Action& action, const ir::Recipe& recipe, const WriteOptions& options, Parts& parts) {
  return Entries(action, recipe, options, parts).make();
}

Entry EntryParts::made(std::string_view function, Text when, std::vector<Text> rest) const {
  parts_.emplace(function);
  rest.insert(rest.begin(), {python_string(ir::numbered_name(action_.origin)), std::move(when)});
  return {call(function, std::move(rest)), ""};
}

std::string EntryParts::refused_arguments() const {
  static constexpr std::string_view kNames[] = {"mask_on_forward_only", "use_double_copies", "mask_gradients",
                                                "discard_masks_at_minibatch_end", "fold_batchnorm"};
  const ir::OriginField* given = action_.origin.find("policy.args");
  for (const std::string_view name : kNames) {
    const source::Value* value = given == nullptr ? nullptr : given->value.find(name);
    if (value != nullptr && value->number().value_or(0) != 0) {
      return fmt::format("`{}` is not supported", name);
    }
  }
  const ir::OriginField* noise = action_.origin.find("noise");
  return noise != nullptr && noise->value.number().value_or(0) != 0 ? "noise in the ranking is not supported" : "";
}

std::vector<Text> with_strictness(Text names, const model::Selector& selector) {
  std::vector<Text> out = {std::move(names)};
  if (!stops_without(selector)) out.push_back(named("strict", boolean(false)));
  return out;
}

}  // namespace sparsecfg::dialect::pytorch
