#include "dialect/llmcompressor/model_free.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/schemes/ignoring.h"

// Checks of `model_free_ptq`, which compares entries with the names of the tensors in a checkpoint.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(LC123, model_free_calibration, error, (Text, Text), "`model_free_ptq` can't calibrate the {} of `{}`",
           "The function only reads weights and never runs the model, so the scales of inputs and outputs must be "
           "computed at run time. It raises a ValueError for a scheme with static or local scales.",
           "use a scheme with dynamic inputs such as `FP8_DYNAMIC`, or run a QuantizationModifier with `oneshot`")

DIAGNOSTIC(LC124, model_free_without_weights, error, (Text), "`model_free_ptq` requires `weights`, but `{}` has none",
           "The function quantizes the weights of a checkpoint. It raises a ValueError for a scheme without them.",
           "add `weights` to the scheme")

DIAGNOSTIC(LC831, model_free_class, warning, (Text), "`{}` is a class, but `model_free_ptq` compares only names",
           "The function reads tensors without their modules, so it does not know classes. `Linear` in `targets` "
           "selects every matrix. Any other class is compared as a name and matches nothing.",
           "write a pattern that matches the names, such as `re:.*embed_tokens$`")

DIAGNOSTIC(LC832, model_free_embedding, warning, (Text, Text), "`{}` also selects the embedding `{}`",
           "`model_free_ptq` quantizes every matrix whose module does not end in `norm`, and an embedding is a matrix. "
           "Few runtimes load a quantized embedding.",
           "add the embedding to `ignore`")

DIAGNOSTIC(LC833, model_free_not_matrix, error, (Text, Text, Text),
           "`{}` also selects `{}`, whose weight has the shape {}",
           "`model_free_ptq` quantizes only matrices. It checks all selected tensors before it starts and raises a "
           "ValueError for the first one with another number of dimensions.",
           "add the module to `ignore`")

// --- schemes ------------------------------------------------------------------------------------------------------

// Reports activations whose scales need data.
static bool report_static(const Context& context, const Group& group) {
  struct Tensor {
    const Part* part;
    std::string_view name;
  };

  for (const auto& [part, name] : {Tensor{&group.inputs, "inputs"}, Tensor{&group.outputs, "outputs"}}) {
    if (!part->args.present || part->args.dynamic == Dynamic::yes) continue;
    context.sink.report(diag::model_free_calibration, part->value == nullptr ? group.span : part->value->span,
                        std::string(name), group.name);
    return true;
  }
  return false;
}

static void check_schemes(const Context& context, const ModelFree& function) {
  for (const Group& group : function.groups) {
    if (group.weights.args.present) {
      if (report_static(context, group)) return;
    } else if (!group.is_empty()) {
      context.sink.report(diag::model_free_without_weights, group.span, group.name);
    }
  }
}

// Classes that targets and `ignore` of modifiers often name.
static constexpr std::string_view kClasses[] = {"Linear", "Embedding", "Conv1d", "Conv2d", "LayerNorm", "RMSNorm"};

static void check_classes(const Context& context, const Entries& entries, bool targets) {
  for (const Entry& entry : entries) {
    if (!base::contains(kClasses, entry.text) || (targets && entry.text == kEveryMatrix)) continue;
    context.sink.report(diag::model_free_class, entry.span, entry.text);
  }
}

void check_model_free(const Context& context, const Modifier& modifier) {
  const auto* function = modifier.as<ModelFree>();
  if (function == nullptr) return;
  check_schemes(context, *function);
  check_classes(context, function->ignore.value_or({}), false);
  for (const Group& group : function->groups) check_classes(context, group.targets, true);
}

// --- tensors ------------------------------------------------------------------------------------------------------

// Returns the target that selects a module; null if none does, or if an entry of `ignore` matches it.
static const Entry* selecting(const ModelFree& function, const model::Module& module) {
  if (!has_candidate_weight(module)) return nullptr;
  const auto takes = [&](const Entry& entry) { return takes_tensor(entry.text, module); };
  if (std::ranges::any_of(function.ignore.value_or({}), takes)) return nullptr;
  for (const Group& group : function.groups) {
    const auto found = std::ranges::find_if(
        group.targets, [&](const Entry& entry) { return entry.text == kEveryMatrix || takes(entry); });
    if (found != group.targets.end()) return &*found;
  }
  return nullptr;
}

static void offer_to_ignore(diag::Diagnostic& report, const Modifier& modifier, const ModelFree& function,
                            const std::string& name) {
  const Field* given = function.ignore.field();
  schemes::offer_to_ignore(report, name, modifier.spec->name,
                           given == nullptr ? std::nullopt : std::optional(given->value.span),
                           modifier.fields.empty() ? std::nullopt : std::optional(modifier.fields.back().key));
}

// Reports the first tensor that stops the function, or else the first embedding that it quantizes.
void check_tensors(const Context& context, const Modifier& modifier, const ModelFree& function,
                   const Modules& modules) {
  const model::Module* embedding = nullptr;
  const Entry* taking = nullptr;
  for (const model::Module& module : modules) {
    const bool matrix = !module.shape || module.shape->size() == 2;
    if (matrix && (module.type != "Embedding" || embedding != nullptr)) continue;
    const Entry* target = selecting(function, module);
    if (target == nullptr) continue;
    if (!matrix) {
      auto& report = context.sink.report(diag::model_free_not_matrix, target->span, target->text, module.name,
                                         model::to_text(*module.shape));
      return offer_to_ignore(report, modifier, function, module.name);
    }
    embedding = &module;
    taking = target;
  }
  if (embedding == nullptr) return;
  auto& report = context.sink.report(diag::model_free_embedding, taking->span, taking->text, embedding->name);
  offer_to_ignore(report, modifier, function, embedding->name);
}

}  // namespace sparsecfg::dialect::llmcompressor
