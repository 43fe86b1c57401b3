#include "dialect/nni/table.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::dialect::nni {

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::pruning: return "pruning";
    case Mode::quantization: return "quantization";
    case Mode::distillation: return "distillation";
  }
  return {};
}

const KeySpec* find_key(std::span<const KeySpec> keys, std::string_view name) {
  const auto found = std::ranges::find(keys, name, &KeySpec::name);
  return found == keys.end() ? nullptr : &*found;
}

constexpr KeySpec kSelection[] = {
    {"op_names", Form::texts, "[]", "Full names of modules. One that the model lacks stops NNI 3.0."},
    {"op_names_re", Form::texts, "[]", "Patterns, matched from the start of the full names."},
    {"op_types", Form::texts, "[]", "Names of classes; they narrow what names and patterns select, or select alone."},
    {"exclude_op_names", Form::texts, "[]", "Full names that this entry leaves out."},
    {"exclude_op_names_re", Form::texts, "[]", "Patterns of names that this entry leaves out."},
    {"exclude_op_types", Form::texts, "[]", "Names of classes that this entry leaves out."},
    {"target_names", Form::texts, "[]", "Which tensors of each module; all that the type has by default where empty."},
    {"target_settings", Form::settings, "", "Settings of single targets, which win over those of the entry."},
};

std::span<const KeySpec> selection_keys() { return kSelection; }

constexpr std::string_view kPruningMethods[] = {"bypass", "mul", "add"};
constexpr std::string_view kQuantizationMethods[] = {"bypass", "clamp_round", "qat_clamp_round"};
constexpr std::string_view kDistillationMethods[] = {"mse", "kl"};
constexpr std::string_view kSchemes[] = {"affine", "symmetric"};
constexpr std::string_view kGranularities[] = {"default", "in_channel", "out_channel", "per_channel"};

constexpr KeySpec kGranularity{
    "granularity", Form::granularity, "default",
    "What is masked or quantized together: in_channel, out_channel, per_channel, or the sizes of a block.",
    kGranularities};

constexpr KeySpec kPruning[] = {
    {"sparse_ratio", Form::ratio, "null",
     "Share of the target that is masked; what is below 0 or above 1 counts as 0 or 1."},
    {"sparse_threshold", Form::ratio, "null", "What is ranked below it is masked; not beside `sparse_ratio`."},
    {"max_sparse_ratio", Form::largest_ratio, "1.0", "Upper bound of what is masked, above 0."},
    {"min_sparse_ratio", Form::least_ratio, "0.0", "Lower bound of what is masked, below 1."},
    {"global_group_id", Form::group, "null",
     "Targets with the same one share a ratio; where it is taken from depends on the weights."},
    {"dependency_group_id", Form::group, "null", "Targets with the same one are masked at the same places."},
    {"internal_metric_block", Form::whole, "null", "Number of parts of a dependency group that are ranked apart."},
    kGranularity,
    {"apply_method", Form::word, "mul", "How a mask is applied.", kPruningMethods},
    {"align", Form::alignment, "null",
     "Takes the mask over from another target; for a bias that of its weight by default."},
};

constexpr KeySpec kQuantization[] = {
    {"quant_dtype", Form::bit_type, "", "`int` or `uint` and the number of bits; null means int8.", {}, true},
    {"quant_scheme", Form::word, "null", "How a range is mapped to integers.", kSchemes},
    kGranularity,
    {"apply_method", Form::word, "clamp_round", "Overwritten by every quantizer.", kQuantizationMethods},
    {"fuse_names", Form::fusion, "[]",
     "Groups of two or three modules that are computed as one; lists stand for tuples."},
};

constexpr KeySpec kDistillation[] = {
    {"lambda", Form::factor, "1.0", "Weight of this loss in the whole; a float."},
    {"link", Form::link, "auto", "Modules of the teacher to follow; `auto` is the one of the same name."},
    {"apply_method", Form::word, "mse", "Which loss.", kDistillationMethods},
};

std::span<const KeySpec> setting_keys(Mode mode) {
  switch (mode) {
    case Mode::pruning: return kPruning;
    case Mode::quantization: return kQuantization;
    case Mode::distillation: return kDistillation;
  }
  return {};
}

constexpr KeySpec kLegacy[] = {
    {"exclude", Form::word, "",
     "2.x: excludes the modules of this entry. In 3.0 from all entries, and even if it is false."},
    {"sparsity", Form::ratio, "",
     "2.x: share of each module that is masked. In 3.0 of `weight`, with `bias` following."},
    {"sparsity_per_layer", Form::ratio, "", "2.x: the same as `sparsity`."},
    {"total_sparsity", Form::ratio, "", "2.x: share of all modules of the entry together. 3.0 fails to translate it."},
    {"max_sparsity_per_layer", Form::largest_ratio, "", "2.x: upper bound beside `total_sparsity`."},
    {"op_partial_names", Form::texts, "", "2.x: parts of names. In 3.0 they become patterns as they are."},
    {"quant_types", Form::texts, "", "2.x: which of `weight`, `input` and `output` are quantized."},
    {"quant_bits", Form::whole, "", "2.x: number of bits for all, or a mapping from the types."},
};

std::span<const KeySpec> legacy_keys() { return kLegacy; }

bool is_legacy_marker(std::string_view key) {
  static constexpr std::string_view kMarkers[] = {"exclude", "sparsity", "sparsity_per_layer", "total_sparsity",
                                                  "quant_types"};
  return std::ranges::find(kMarkers, key) != std::end(kMarkers);
}

constexpr KeySpec kEpochs[] = {
    {"initial_sparsity", Form::ratio, "0", "1.x: sparsity in `start_epoch`."},
    {"final_sparsity", Form::ratio, "0", "1.x: sparsity at the end, which comes one `frequency` before `end_epoch`."},
    {"start_epoch", Form::whole, "0", "1.x: the first epoch in which the mask is made.", {}, false, Unit::epochs},
    {"end_epoch", Form::whole, "1", "1.x: the epoch before which the ramp has arrived.", {}, false, Unit::epochs},
    {"frequency", Form::whole, "1", "1.x: epochs from one mask to the next.", {}, false, Unit::epochs_between},
};

std::span<const KeySpec> epoch_keys() { return kEpochs; }

// --- classes ------------------------------------------------------------------------------------

constexpr FieldSpec kTrainingSteps{.name = "training_steps",
                                   .type = Type::number,
                                   .required = true,
                                   .doc =
                                       "Steps of training in which it learns what to mask. Inside a "
                                       "scheduled pruner at most `interval_steps`, and if it is "
                                       "less the last goal is never applied.",
                                   .unit = Unit::steps};
constexpr FieldSpec kRegularScale{.name = "regular_scale",
                                  .type = Type::number,
                                  .default_value = "1.0",
                                  .doc = "Strength of the penalty that drives scores down."};
constexpr FieldSpec kSlim[] = {kTrainingSteps, kRegularScale};
constexpr FieldSpec kTaylor[] = {kTrainingSteps};
constexpr FieldSpec kMovement[] = {
    {.name = "warmup_step",
     .type = Type::number,
     .required = true,
     .bounds = {.min = 0},
     .doc = "Steps before the ratio rises.",
     .unit = Unit::steps},
    {.name = "cooldown_begin_step",
     .type = Type::number,
     .required = true,
     .doc = "The step at which the ratio has arrived, above `warmup_step`; the run must reach it.",
     .unit = Unit::steps},
    kRegularScale};
constexpr FieldSpec kScheduled[] = {
    {.name = "pruner",
     .type = Type::mapping,
     .required = true,
     .doc = "The pruner that makes the masks: its `class` and arguments."},
    {.name = "interval_steps",
     .type = Type::number,
     .required = true,
     .doc = "Steps from one raise of the ratio to the next.",
     .unit = Unit::steps_between},
    {.name = "total_times",
     .type = Type::number,
     .required = true,
     .doc = "How often it is raised. The run must have interval_steps * total_times steps.",
     .unit = Unit::updates},
    {.name = "evaluator", .type = Type::any, .default_value = "null", .doc = "An object of the training script's."}};
constexpr FieldSpec kQat[] = {{.name = "quant_start_step",
                               .type = Type::number,
                               .default_value = "0",
                               .doc = "Steps of training before anything is quantized.",
                               .unit = Unit::steps}};
constexpr FieldSpec kPtq[] = {{.name = "is_bias_correction",
                               .type = Type::boolean,
                               .default_value = "false",
                               .doc = "Whether biases make up for what quantization shifts."}};
constexpr FieldSpec kDistiller[] = {
    {.name = "teacher_model", .type = Type::any, .default_value = "null", .doc = "An object of the training script's."},
    {.name = "teacher_predict",
     .type = Type::any,
     .default_value = "null",
     .doc = "A function of the training script's."},
    {.name = "origin_loss_lambda",
     .type = Type::number,
     .default_value = "1.0",
     .doc = "Weight of the model's own loss."}};

constexpr ClassSpec kClasses[] = {
    {"LevelPruner", Mode::pruning, Schedule::at_once, {}, "Masks the smallest weights, each for itself.", "magnitude"},
    {"L1NormPruner",
     Mode::pruning,
     Schedule::at_once,
     {},
     "Masks the output channels with the smallest sum of magnitudes.",
     "l1"},
    {"L2NormPruner", Mode::pruning, Schedule::at_once, {}, "Masks the output channels with the smallest norm.", "l2"},
    {"FPGMPruner",
     Mode::pruning,
     Schedule::at_once,
     {},
     "Masks the output channels nearest to the middle of all. Each target with a ratio needs a granularity.",
     "geometric_median"},
    {"SlimPruner", Mode::pruning, Schedule::after, kSlim,
     "Trains scores down and masks once, after `training_steps`. `apply_method` must be mul.", "slim", false, false,
     true},
    {"TaylorPruner", Mode::pruning, Schedule::after, kTaylor,
     "Watches the gradients and masks once, after `training_steps`. Parameters only.", "taylor", true},
    {"MovementPruner", Mode::pruning, Schedule::movement, kMovement,
     "Masks at every step what training moves towards zero; the ratio follows a cubic curve. Parameters "
     "only.",
     "movement", true, false, true},
    {"LinearPruner", Mode::pruning, Schedule::repeated, kScheduled,
     "Raises the ratio of another pruner in even parts."},
    {"AGPPruner", Mode::pruning, Schedule::repeated, kScheduled,
     "Raises the ratio of another pruner, fast at first: 1 - (1 - k/n)^3."},
    {"QATQuantizer", Mode::quantization, Schedule::from_step, kQat,
     "Trains with values rounded as the quantized model will."},
    {"PtqQuantizer", Mode::quantization, Schedule::always, kPtq, "Chooses ranges from data, without training."},
    {"DoReFaQuantizer",
     Mode::quantization,
     Schedule::always,
     {},
     "Low-bit training. `quant_scheme` must not be null, outputs of activations only, no granularity.",
     {},
     false,
     true},
    {"BNNQuantizer",
     Mode::quantization,
     Schedule::always,
     {},
     "Signs alone. No granularity; `quant_dtype` has no effect.",
     {},
     false,
     true},
    {"LsqQuantizer", Mode::quantization, Schedule::always, {}, "Learns scales. `quant_dtype` must not be null."},
    {"LsqPlusQuantizer", Mode::quantization, Schedule::always, {}, "Learns scales and offsets."},
    {"DynamicLayerwiseDistiller", Mode::distillation, Schedule::always, kDistiller,
     "Follows the link with the least loss."},
    {"Adaptive1dLayerwiseDistiller", Mode::distillation, Schedule::always, kDistiller,
     "Learns to bring outputs of different sizes together. Exactly one link."},
};

std::span<const ClassSpec> classes() { return kClasses; }

const ClassSpec* find_class(std::string_view name) {
  const auto* const found = std::ranges::find(kClasses, name, &ClassSpec::name);
  return found == std::end(kClasses) ? nullptr : found;
}

// --- modules ------------------------------------------------------------------------------------

constexpr std::string_view kWeightAndBias[] = {"weight", "bias"};
constexpr std::string_view kWeight[] = {"weight"};
constexpr std::string_view kAllTensors[] = {"_input_", "weight", "bias", "_output_"};
constexpr std::string_view kInputAndOutput[] = {"_input_", "_output_"};
constexpr std::string_view kOutput[] = {"_output_"};

constexpr std::string_view kPrunable[] = {"Linear",          "Conv1d",          "Conv2d",          "Conv3d",
                                          "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "BatchNorm1d",
                                          "BatchNorm2d",     "BatchNorm3d",     "Embedding"};
constexpr std::string_view kQuantizable[] = {
    "Linear",      "Conv1d",      "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
    "BatchNorm1d", "BatchNorm2d", "ReLU",   "ReLU6",  "Hardtanh",        "MaxPool2d"};
constexpr std::string_view kWithoutParameters[] = {"ReLU", "ReLU6", "Hardtanh", "MaxPool2d"};

std::span<const std::string_view> registered_types(Mode mode) {
  switch (mode) {
    case Mode::pruning: return kPrunable;
    case Mode::quantization: return kQuantizable;
    case Mode::distillation: return {};
  }
  return {};
}

std::span<const std::string_view> default_targets(Mode mode, std::string_view type) {
  if (mode == Mode::distillation) {
    return kOutput;
  }
  if (!base::contains(registered_types(mode), type)) {
    return {};
  }
  if (mode == Mode::quantization) {
    return base::contains(kWithoutParameters, type) ? std::span<const std::string_view>(kInputAndOutput) : kAllTensors;
  }
  return type == "Embedding" ? std::span<const std::string_view>(kWeight) : kWeightAndBias;
}

bool lacks_tensor(std::string_view type, std::string_view name) {
  static constexpr std::string_view kBuffers[] = {"running_mean", "running_var", "num_batches_tracked"};
  if (base::contains(kWithoutParameters, type)) {
    return true;
  }
  const bool normalizes = type.starts_with("BatchNorm") && base::contains(kBuffers, name);
  const bool known = base::contains(kPrunable, type);
  return known && name != "weight" && (name != "bias" || type == "Embedding") && !normalizes;
}

constexpr std::string_view kWeighted[] = {"Conv1d",          "Conv2d",          "Conv3d",      "ConvTranspose1d",
                                          "ConvTranspose2d", "ConvTranspose3d", "Linear",      "Bilinear",
                                          "PReLU",           "Embedding",       "EmbeddingBag"};

std::span<const std::string_view> weighted_types() { return kWeighted; }

}  // namespace sparsecfg::dialect::nni
