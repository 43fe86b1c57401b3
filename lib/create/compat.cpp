#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "create/create.h"

// Reproduces the output of the SparseML template generator, including its faults: no modifier uses the requested
// sparsity, and epochs that depend on `num_epochs` are written as numbers.
namespace sparsecfg::create {

namespace {

constexpr std::string_view kRatesThatLoad[] = {"linear", "cosine", "cyclic_linear"};
constexpr std::string_view kPrunersThatLoad[] = {"true", "acdc", "mfac", "movement", "obs", "constant"};
constexpr double kWrittenSparsity = 0.8;  // written into every modifier, regardless of the requested sparsity

// Lengths of the phases in epochs.
struct Phases {
  double quantization = 0;
  double pruning = 0;  // equals the length of the training with held masks that follows
};

bool prunes(const Choices& choices) {
  return choices.pruning != "false" && choices.pruning != "none" && choices.pruning != "constant";
}

Phases phases_of(const Choices& choices) {
  Phases out;
  out.quantization = !choices.quantization ? 0 : choices.epochs >= 15 ? 5 : 2;
  out.pruning = (choices.epochs - out.quantization) / 2;
  return out;
}

bool holds_zeros(const Choices& choices) {
  return choices.pruning == "constant" || (choices.pruning == "false" && choices.quantization);
}

std::string number(const Choices& choices, std::string_view name, double value) {
  const bool whole = std::ranges::find(choices.whole, name) != choices.whole.end();
  return whole ? fmt::format("{}", base::whole_part(value)) : base::python_repr(value);
}

std::string_view truth(bool value) { return value ? "True" : "False"; }

// --- variables ---

std::string variables(const Choices& choices) {
  const Phases phases = phases_of(choices);
  const auto real = [](double value) { return base::python_repr(value); };
  std::string out =
      fmt::format("lr_func: {}\ninit_lr: {}\nfinal_lr: {}\nnum_epochs: {}\n", choices.rate,
                  number(choices, "init_lr", choices.initial_rate), number(choices, "final_lr", choices.final_rate),
                  number(choices, "num_epochs", choices.epochs));
  if (choices.quantization) {
    out += fmt::format("num_qat_epochs: {}\nnum_qat_finetuning_epochs: {}\nquantization_submodules: null\n",
                       real(phases.quantization), real(phases.quantization / 2));
  }
  if (prunes(choices)) {
    out += fmt::format(
        "num_pruning_active_epochs: {0}\nnum_pruning_finetuning_epochs: {0}\npruning_init_sparsity: {1}\n"
        "pruning_final_sparsity: {2}\npruning_update_frequency: {3}\nmask_type: {4}\nglobal_sparsity: {5}\n"
        "_num_pruning_epochs: eval(num_pruning_active_epochs + num_pruning_finetuning_epochs)\n",
        real(phases.pruning), real(std::min(0.05, choices.sparsity)), real(choices.sparsity),
        real(phases.pruning > 20 ? 1.0 : phases.pruning / 20), choices.mask_type.value_or("unstructured"),
        truth(choices.global_sparsity));
  }
  if (choices.distillation) {
    out +=
        fmt::format("distillation_hardness: {}\ndistillation_temperature: {}\n",
                    number(choices, "hardness", choices.hardness), number(choices, "temperature", choices.temperature));
  }
  if (choices.pruning == "mfac") out += "num_grads: 64\nfisher_block_size: 10000\n";
  if (choices.pruning == "obs") out += "num_grads: 1024\nfisher_block_size: 50\n";
  return out;
}

// --- groups ---

std::string training() {
  return "\ntraining_modifiers:\n  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: eval(num_epochs)\n\n"
         "  - !LearningRateFunctionModifier\n    start_epoch: 0.0\n    end_epoch: eval(num_epochs)\n"
         "    lr_func: eval(lr_func)\n    init_lr: eval(init_lr)\n    final_lr: eval(final_lr)\n";
}

std::string pruned_parameters(const Choices& choices) {
  if (choices.parameters.empty()) return "    params: __ALL_PRUNABLE__\n";
  return fmt::format("    params: \n    - {}\n", fmt::join(choices.parameters, "\n    - "));
}

std::string pruning(const Choices& choices) {
  if (holds_zeros(choices)) {
    return "\npruning_modifiers:\n  - !ConstantPruningModifier\n    start_epoch: 0.0\n    params: __ALL_PRUNABLE__\n";
  }
  const Pruner& pruner = *find_pruner(choices.pruning);
  const bool together = choices.global_sparsity && !pruner.global_modifier.empty();
  std::string out = fmt::format("\npruning_modifiers:\n  - !{}\n    start_epoch: 0.0\n{}",
                                together ? pruner.global_modifier : pruner.modifier, pruned_parameters(choices));
  if (pruner.gradual) out += "    init_sparsity: 0.05\n    final_sparsity: 0.8\n";
  out += "    end_epoch: eval(num_pruning_active_epochs)\n    update_frequency: 1.0\n    mask_type: eval(mask_type)\n";
  if (pruner.has_global_field) out += "    global_sparsity: eval(global_sparsity)\n";
  out += "    leave_enabled: True\n";
  out += pruner.gradual ? "    inter_func: cubic\n" : "    compression_sparsity: 0.8\n";
  const bool second_order = choices.pruning == "mfac" || choices.pruning == "obs";
  return second_order ? out + "    num_grads: eval(num_grads)\n    fisher_block_size: eval(fisher_block_size)\n" : out;
}

std::string quantization(const Choices& choices) {
  const std::string_view before = prunes(choices) ? "_num_pruning_epochs + " : "";
  return fmt::format(
      "\nquantization_modifiers:\n  - !QuantizationModifier\n    start_epoch: {0}\n"
      "    submodules: eval(quantization_submodules)\n"
      "    disable_quantization_observer_epoch: eval({1}num_qat_epochs - num_qat_finetuning_epochs)\n"
      "    freeze_bn_stats_epoch: eval({1}num_qat_epochs - num_qat_finetuning_epochs)\n    tensorrt: {2}\n"
      "    quantize_linear_activations: False\n    quantize_conv_activations: False\n"
      "    quantize_embedding_activations: False\n    exclude_module_types: \n    - LayerNorm\n    - Tanh\n",
      prunes(choices) ? "eval(_num_pruning_epochs)" : "0.0", before, truth(choices.target == "tensorrt"));
}

std::optional<std::string> resolve_phases(const Choices& choices) {
  const Phases phases = phases_of(choices);
  if (phases.pruning < 0) {
    return fmt::format(
        "the old generator uses {1} of {0} epochs for quantization and has none left for pruning; set "
        "num_epochs to at least {1}",
        choices.epochs, phases.quantization);
  }
  if (choices.pruning == "acdc" && std::trunc(phases.pruning) != phases.pruning) {
    const double fits = std::floor(phases.pruning) * 2 + phases.quantization;
    return fmt::format(
        "acdc requires whole epochs, but the old generator prunes for {}; set num_epochs={} or remove "
        "--compat",
        phases.pruning, fits);
  }
  return std::nullopt;
}

std::optional<std::string> resolve_mask(Choices& choices) {
  const std::string needed(choices.target == "vnni" ? "block4" : choices.target == "tensorrt" ? "2:4" : "unstructured");
  if (!choices.mask_type) choices.mask_type = needed;
  return *choices.mask_type == needed
             ? std::nullopt
             : std::optional(fmt::format("the old generator requires the mask `{}` for --target {}; remove mask_type",
                                         needed, choices.target));
}

}  // namespace

std::optional<std::string> resolve_compat(Choices& choices) {
  choices.pruning = base::to_lower(choices.pruning);
  const Pruner* pruner = find_pruner(choices.pruning);
  if (pruner != nullptr) choices.pruning = pruner->name;
  if (choices.pruning != "false" && choices.pruning != "none" && !base::contains(kPrunersThatLoad, choices.pruning)) {
    return fmt::format("the old generator does not support --pruning `{}`; choose one of false, none, {}",
                       base::printable(choices.pruning), fmt::join(kPrunersThatLoad, ", "));
  }
  if (!base::contains(kRatesThatLoad, choices.rate)) {
    return fmt::format(
        "SparseML does not load the recipe of the old generator for --lr {}; choose one of {}, or remove "
        "--compat",
        choices.rate, fmt::join(kRatesThatLoad, ", "));
  }
  if (choices.pruning == "movement" && choices.global_given && choices.global_sparsity) {
    return "--pruning movement ranks each layer separately; set global_sparsity=false";
  }
  choices.global_sparsity = choices.global_sparsity && choices.pruning != "movement";
  if (!prunes(choices)) return std::nullopt;
  auto why = resolve_phases(choices);
  return why ? why : resolve_mask(choices);
}

std::string compat_recipe(const Choices& choices) {
  std::string out = variables(choices) + training();
  if (prunes(choices) || holds_zeros(choices)) out += pruning(choices);
  if (choices.quantization) out += quantization(choices);
  if (choices.distillation) {
    out +=
        "\ndistillation_modifiers:\n  - !DistillationModifier\n    start_epoch: 0.0\n    end_epoch: eval(num_epochs)\n"
        "    hardness: eval(distillation_hardness)\n    temperature: eval(distillation_temperature)\n";
  }
  out.pop_back();  // the old generator writes no final line feed
  return out;
}

std::vector<std::string> compat_faults(const Choices& choices) {
  std::vector<std::string> out;
  if (prunes(choices) && choices.sparsity != kWrittenSparsity) {
    out.push_back(
        fmt::format("no modifier uses the sparsity {}: the recipe prunes to {}", choices.sparsity, kWrittenSparsity));
  }
  if (prunes(choices) && choices.mask_type == "2:4") {
    out.emplace_back("`mask_type: 2:4` is not quoted, so YAML reads it as 124 and training stops at its start");
  }
  if (choices.quantization || prunes(choices)) {
    out.emplace_back("pruning and quantization do not depend on `num_epochs`: to change it, generate the recipe again");
  }
  return out;
}

}  // namespace sparsecfg::create
