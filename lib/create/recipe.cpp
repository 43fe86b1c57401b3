#include "create/create.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "emit/literal.h"

namespace sparsecfg::create {

// Writes a number so that YAML 1.1 reads it as a float: `1.0e-07`, not `1e-07`.
static std::string real(double number) {
  std::string text = base::python_repr(number);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

static bool prunes_gradually(const Choices& choices) {
  const Pruner* pruner = find_pruner(choices.pruning);
  return choices.pruning != "false" && pruner != nullptr && !pruner->holds;
}

// Returns the variables for the sparsities of the more sensitive tiers, if there are any.
static std::string lower_sparsities(const Choices& choices) {
  std::string out;
  for (const Tier& tier : tiers_of(choices)) {
    if (tier.fraction < 1) out += fmt::format("{}: eval(sparsity * {})\n", tier.variable, tier.fraction);
  }
  return out;
}

static std::string variables_of(const Choices& choices) {
  std::string out = fmt::format("num_epochs: {}\ninit_lr: {}\n", real(choices.epochs), real(choices.initial_rate));
  if (choices.rate != "constant") out += fmt::format("final_lr: {}\n", real(choices.final_rate));
  if (choices.quantization) out += "num_qat_epochs: eval(min(5.0, num_epochs / 4))\n";
  if (prunes_gradually(choices)) {
    const std::string left = choices.quantization ? "(num_epochs - num_qat_epochs) / 2" : "num_epochs / 2";
    const bool whole = find_pruner(choices.pruning)->whole_epochs;
    out += fmt::format("sparsity: {}\n{}num_pruning_epochs: eval({})\n", real(choices.sparsity),
                       lower_sparsities(choices), whole ? "max(1, int(" + left + "))" : left);
  }
  if (choices.distillation) {
    out += fmt::format("distillation_hardness: {}\ndistillation_temperature: {}\n", real(choices.hardness),
                       real(choices.temperature));
  }
  return out;
}

static std::string rate_of(const Choices& choices) {
  if (choices.rate == "constant") {
    return "  - !SetLearningRateModifier\n    start_epoch: 0.0\n    learning_rate: eval(init_lr)\n";
  }
  const std::string window = "    start_epoch: 0.0\n    end_epoch: eval(num_epochs)\n    init_lr: eval(init_lr)\n";
  if (choices.rate == "stepped") {
    return "  - !LearningRateModifier\n" + window +
           "    lr_class: MultiStepLR\n    lr_kwargs:\n      gamma: eval((final_lr / init_lr) ** 0.5)\n"
           "      milestones: [eval(num_epochs * 0.5), eval(num_epochs * 0.75)]\n";
  }
  if (choices.rate == "exponential") {
    return "  - !LearningRateModifier\n" + window +
           "    lr_class: ExponentialLR\n    lr_kwargs:\n      gamma: eval((final_lr / init_lr) ** (1 / num_epochs))\n";
  }
  std::string out = "  - !LearningRateFunctionModifier\n" + window +
                    fmt::format("    final_lr: eval(final_lr)\n    lr_func: {}\n", choices.rate);
  return choices.rate == "cyclic_linear" ? out + "    cycle_epochs: eval(num_epochs / 4)\n" : out;
}

static std::string parameters_of(const std::vector<std::string>& parameters) {
  if (parameters.empty()) return "    params: __ALL_PRUNABLE__\n";
  std::string out = "    params:\n";
  for (const std::string& name : parameters) {
    out += fmt::format("      - {}\n", emit::literal(emit::Syntax::yaml, name));
  }
  return out;
}

// Returns the pruning modifier of one tier.
static std::string pruner_of(const Choices& choices, const Pruner& pruner, const Tier& tier) {
  const bool together = choices.global_sparsity && !pruner.global_modifier.empty();
  std::string out = fmt::format("  - !{}\n    start_epoch: 0.0\n    end_epoch: eval(num_pruning_epochs)\n",
                                together ? pruner.global_modifier : pruner.modifier);
  // Further updates of an N:M mask select the same weights, since masked ones stay zero.
  const bool fixed = choices.mask_type->find(':') != std::string::npos;
  out += pruner.whole_epochs ? "    update_frequency: eval(max(1, int(num_pruning_epochs / 10)))\n"
         : fixed             ? "    update_frequency: eval(num_pruning_epochs)\n"
                             : "    update_frequency: eval(min(1.0, num_pruning_epochs / 20))\n";
  if (pruner.gradual) {
    // N:M masks have the same sparsity at every update.
    out += fmt::format("    init_sparsity: eval({})\n    final_sparsity: eval({})\n    inter_func: cubic\n",
                       fixed ? "sparsity" : fmt::format("min(0.05, {})", tier.variable), tier.variable);
  } else {
    out += fmt::format("    compression_sparsity: eval({})\n", tier.variable);
  }
  out += parameters_of(tier.parameters);
  out += fmt::format("    mask_type: {}\n", fixed ? "'" + *choices.mask_type + "'" : *choices.mask_type);
  if (pruner.has_global_field) out += fmt::format("    global_sparsity: {}\n", choices.global_sparsity);
  out += "    leave_enabled: true\n";
  return out + std::string(pruner.more_fields);
}

static std::string pruning_of(const Choices& choices) {
  const Pruner& pruner = *find_pruner(choices.pruning);
  if (pruner.holds) {
    return fmt::format("\npruning_modifiers:\n  - !{}\n    start_epoch: 0.0\n{}", pruner.modifier,
                       parameters_of(choices.parameters));
  }
  std::vector<std::string> modifiers;
  for (const Tier& tier : tiers_of(choices)) modifiers.push_back(pruner_of(choices, pruner, tier));
  return fmt::format("\npruning_modifiers:\n{}", fmt::join(modifiers, "\n"));
}

static std::string quantization_of(const Choices& choices) {
  return fmt::format(
      "\nquantization_modifiers:\n  - !QuantizationModifier\n    start_epoch: eval(num_epochs - num_qat_epochs)\n"
      "    disable_quantization_observer_epoch: eval(num_epochs - num_qat_epochs / 2)\n"
      "    freeze_bn_stats_epoch: eval(num_epochs - num_qat_epochs / 2)\n    tensorrt: {}\n"
      "    quantize_linear_activations: false\n    quantize_conv_activations: false\n"
      "    quantize_embedding_activations: false\n    exclude_module_types: [LayerNorm, Tanh]\n",
      choices.target == "tensorrt");
}

std::string recipe(const Choices& choices) {
  std::string out = variables_of(choices);
  out += "\ntraining_modifiers:\n  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: eval(num_epochs)\n\n";
  out += rate_of(choices);
  if (choices.pruning != "false") out += pruning_of(choices);
  if (choices.quantization) out += quantization_of(choices);
  if (choices.distillation) {
    out +=
        "\ndistillation_modifiers:\n  - !DistillationModifier\n    start_epoch: 0.0\n    end_epoch: eval(num_epochs)\n"
        "    hardness: eval(distillation_hardness)\n    temperature: eval(distillation_temperature)\n";
  }
  return out;
}

std::string markdown(const std::string& recipe) {
  return fmt::format(
      "---\n{}---\n\n# Sparsification recipe\n\nThis recipe trains for `num_epochs` epochs and sets the learning "
      "rate. Disable the learning-rate scheduler of the training script.\nAll epochs in the recipe depend on "
      "`num_epochs`.\n",
      recipe);
}

}  // namespace sparsecfg::create
