#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/attached_schemes.h"
#include "dialect/llmcompressor/entries.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/runtime_option.h"
#include "dialect/schemes/norms.h"

namespace sparsecfg::dialect::llmcompressor {

using model::Module;

std::string list_names(const std::vector<const Module*>& modules) {
  constexpr std::size_t kMaxCount = 3;
  std::vector<std::string> shown;
  for (std::size_t at = 0; at < modules.size() && at < kMaxCount; ++at) {
    shown.push_back(fmt::format("`{}`", modules[at]->name));
  }
  if (modules.size() > kMaxCount) shown.push_back(fmt::format("{} more", modules.size() - kMaxCount));
  return base::join_and(shown);
}

// Returns true if a target is the output head itself. To ignore it as well would leave nothing.
static bool targets_head(const Modifier& modifier) {
  const auto* quantization = modifier.as<Quantization>();
  return quantization != nullptr && std::ranges::any_of(quantization->groups, [](const Group& group) {
           return std::ranges::any_of(group.targets, schemes::names_head, &Entry::text);
         });
}

// Reports numbers of blocks that the model lacks.
static void check_numbers(const Context& context, const Entry& entry, const ModelIndex& index) {
  const auto missing = index.missing_numbers(entry.text);
  if (!missing) return;
  context.sink
      .report(diag::entry_with_dead_alternative, entry.span, base::join_and(missing->numbers), entry.text,
              fmt::format("0 to {}", missing->last_block))
      .with_help(fmt::format("write `{}`", missing->meant))
      .with_fix(diag::Fix::unsafe().content(entry.span, missing->meant));
}

static void check_ignored(const Context& context, const Modifier& modifier, const Setting<Entries>& ignore,
                          ModelIndex& index, const Modules& modules) {
  if (ignore.given() == nullptr) {
    return;
  }
  for (const Entry& entry : *ignore) {
    if (fault_of(entry.text)) continue;
    if (index.has(entry.text)) {
      if (schemes::report_only_norms(entry, modules, context.sink)) continue;
      check_numbers(context, entry, index);
      continue;
    }
    const auto meant = meant_in(index, entry.text);
    if (meant && !(schemes::names_head(*meant) && targets_head(modifier))) {
      context.sink.report(diag::ignore_prefix, entry.span, entry.text, *meant)
          .with_help(fmt::format("write `{}`", *meant))
          .with_fix(is_joined_list(entry.text) ? diag::Fix() : diag::Fix::unsafe().content(entry.span, *meant));
    } else {
      context.sink.report(diag::unused_selector, entry.span, entry.text, "module", modules.size())
          .with_severity(diag::Severity::warning)
          .with_help(
              help_for_stored(index, entry.text).value_or("delete it unless the recipe is also for another model"));
    }
  }
}

// Returns the name of the selected runtime if it joins layers; otherwise an empty string.
static std::string joining_runtime(const ReadOptions& options) {
  const std::string_view name = runtime_name(options);
  return name.starts_with("vllm") ? "vLLM" : name == "sglang" ? "SGLang" : "";
}

void check_with_model(const Context& context, const std::vector<Modifier>& modifiers, const Modules& modules,
                      const AttachedSchemes& attached, const ReadOptions& options) {
  const Release release = release_of(options);
  ModelIndex index(modules, options.stored_names.get());
  const std::string runtime = joining_runtime(options);
  for (std::size_t at = 0; at < modifiers.size(); ++at) {
    const Modifier& modifier = modifiers[at];
    const auto* function = modifier.as<ModelFree>();
    if (function != nullptr) check_tensors(context, modifier, *function, modules);
    if (const auto* quantization = modifier.as<Quantization>()) {
      if (function == nullptr) check_quantized_layers(context, modifiers, at, modules, attached, index, runtime);
      for (const Group& group : quantization->groups) {
        for (const Entry& target : group.targets) check_numbers(context, target, index);
      }
      check_ignored(context, modifier, quantization->ignore, index, modules);
    }
    if (const auto* pruning = modifier.as<LayerPruning>()) {
      check_pruned_layers(context, modifier, *pruning, modules, index, release);
    }
    if (const auto* experts = modifier.as<ExpertPruning>()) {
      check_removed_experts(context, modifier, *experts, modules, options.experts_per_token);
    }
    if (const auto* rotation = modifier.as<Rotation>()) check_rotated_layers(context, modifier, *rotation, modules);
    if (const auto* quip = modifier.as<Quip>()) check_ignored(context, modifier, quip->ignore, index, modules);
    if (const auto* smoothing = modifier.as<Smoothing>()) {
      check_mappings(context, modifier, modules);
      check_ignored(context, modifier, smoothing->ignore, index, modules);
    }
    if (modifier.as<Awq>() != nullptr) {
      check_mappings(context, modifier, modules);
      check_awq_layers(context, modifiers, at, modules, attached, release);
    }
  }
  check_model_parts(context, modifiers, modules, attached);
}

}  // namespace sparsecfg::dialect::llmcompressor
