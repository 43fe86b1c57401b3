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
    {"op_names", Form::texts, "[]", "Full names of modules. NNI 3.0 fails if the model lacks one of them."},
    {"op_names_re", Form::texts, "[]", "Regular expressions, matched at the start of full module names."},
    {"op_types", Form::texts, "[]",
     "Module class names. They select modules, or restrict the selection by names and patterns."},
    {"exclude_op_names", Form::texts, "[]", "Full names of modules to exclude from this entry."},
    {"exclude_op_names_re", Form::texts, "[]", "Regular expressions for names of modules to exclude from this entry."},
    {"exclude_op_types", Form::texts, "[]", "Module class names to exclude from this entry."},
    {"target_names", Form::texts, "[]", "Tensors of each module. Empty means the default tensors of the module type."},
    {"target_settings", Form::settings, "", "Settings of single targets. They override the settings of the entry."},
};

std::span<const KeySpec> selection_keys() { return kSelection; }

constexpr std::string_view kPruningMethods[] = {"bypass", "mul", "add"};
constexpr std::string_view kQuantizationMethods[] = {"bypass", "clamp_round", "qat_clamp_round"};
constexpr std::string_view kDistillationMethods[] = {"mse", "kl"};
constexpr std::string_view kSchemes[] = {"affine", "symmetric"};
constexpr std::string_view kGranularities[] = {"default", "in_channel", "out_channel", "per_channel"};

constexpr KeySpec kGranularity{
    "granularity", Form::granularity, "default",
    "Unit that is masked or quantized together: in_channel, out_channel, per_channel, or block sizes.", kGranularities};

constexpr KeySpec kPruning[] = {
    {"sparse_ratio", Form::ratio, "null", "Fraction of the target to mask. Values are clamped to the range 0 to 1."},
    {"sparse_threshold", Form::ratio, "null",
     "Scores below this value are masked. Mutually exclusive with `sparse_ratio`."},
    {"max_sparse_ratio", Form::largest_ratio, "1.0", "Maximum masked fraction, above 0."},
    {"min_sparse_ratio", Form::least_ratio, "0.0", "Minimum masked fraction, below 1."},
    {"global_group_id", Form::group, "null",
     "Targets with the same id share one ratio. The weights determine how it is distributed."},
    {"dependency_group_id", Form::group, "null", "Targets with the same id are masked at the same positions."},
    {"internal_metric_block", Form::whole, "null", "Number of parts of a dependency group that are ranked separately."},
    kGranularity,
    {"apply_method", Form::word, "mul", "How the mask is applied.", kPruningMethods},
    {"align", Form::alignment, "null",
     "Uses the mask of another target. The default of a bias is the mask of its weight."},
};

constexpr KeySpec kQuantization[] = {
    {"quant_dtype",
     Form::bit_type,
     "",
     "`int` or `uint` and the number of bits, such as int8. null means int8.",
     {},
     true},
    {"quant_scheme", Form::word, "null", "How values are mapped to integers.", kSchemes},
    kGranularity,
    {"apply_method", Form::word, "clamp_round", "No effect: every quantizer overwrites it.", kQuantizationMethods},
    {"fuse_names", Form::fusion, "[]", "Groups of two or three modules to fuse. Lists are read as tuples."},
};

constexpr KeySpec kDistillation[] = {
    {"lambda", Form::factor, "1.0", "Weight of this loss in the total loss. Must be a float."},
    {"link", Form::link, "auto", "Teacher modules to compare with. `auto` means the module of the same name."},
    {"apply_method", Form::word, "mse", "Distillation loss.", kDistillationMethods},
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
     "2.x: excludes the modules of this entry. 3.0 excludes them from all entries, even if the value is false."},
    {"sparsity", Form::ratio, "",
     "2.x: fraction of each module to mask. 3.0 masks that fraction of `weight`, and `bias` follows."},
    {"sparsity_per_layer", Form::ratio, "", "2.x: the same as `sparsity`."},
    {"total_sparsity", Form::ratio, "", "2.x: fraction of the modules of the entry together. 3.0 can't translate it."},
    {"max_sparsity_per_layer", Form::largest_ratio, "",
     "2.x: maximum fraction of one module, used with `total_sparsity`."},
    {"op_partial_names", Form::texts, "",
     "2.x: substrings of module names. 3.0 uses them as regular expressions without escaping."},
    {"quant_types", Form::texts, "", "2.x: tensors to quantize: `weight`, `input`, `output`."},
    {"quant_bits", Form::whole, "", "2.x: number of bits for all tensors, or a mapping from `quant_types` to bits."},
};

std::span<const KeySpec> legacy_keys() { return kLegacy; }

bool is_legacy_marker(std::string_view key) {
  static constexpr std::string_view kMarkers[] = {"exclude", "sparsity", "sparsity_per_layer", "total_sparsity",
                                                  "quant_types"};
  return std::ranges::find(kMarkers, key) != std::end(kMarkers);
}

constexpr KeySpec kEpochs[] = {
    {"initial_sparsity", Form::ratio, "0", "1.x: sparsity at `start_epoch`."},
    {"final_sparsity", Form::ratio, "0", "1.x: sparsity at the end of the ramp, one `frequency` before `end_epoch`."},
    {"start_epoch", Form::whole, "0", "1.x: epoch of the first mask update.", {}, false, Unit::epochs},
    {"end_epoch",
     Form::whole,
     "1",
     "1.x: end of the ramp. The last update is one `frequency` earlier.",
     {},
     false,
     Unit::epochs},
    {"frequency", Form::whole, "1", "1.x: number of epochs between mask updates.", {}, false, Unit::epochs_between},
};

std::span<const KeySpec> epoch_keys() { return kEpochs; }

// --- classes ------------------------------------------------------------------------------------

constexpr FieldSpec kTrainingSteps{.name = "training_steps",
                                   .type = Type::number,
                                   .required = true,
                                   .doc =
                                       "Training steps before the mask is made. Inside a scheduled "
                                       "pruner, at most `interval_steps`; a lower value means that "
                                       "the last target ratio is never applied.",
                                   .unit = Unit::steps};
constexpr FieldSpec kRegularScale{.name = "regular_scale",
                                  .type = Type::number,
                                  .default_value = "1.0",
                                  .doc = "Strength of the penalty that reduces scores."};
constexpr FieldSpec kSlim[] = {kTrainingSteps, kRegularScale};
constexpr FieldSpec kTaylor[] = {kTrainingSteps};
constexpr FieldSpec kMovement[] = {
    {.name = "warmup_step",
     .type = Type::number,
     .required = true,
     .bounds = {.min = 0},
     .doc = "Step after which the ratio starts to increase.",
     .unit = Unit::steps},
    {.name = "cooldown_begin_step",
     .type = Type::number,
     .required = true,
     .doc = "Step at which the target ratio is reached. Must be above `warmup_step` and within the run.",
     .unit = Unit::steps},
    kRegularScale};
constexpr FieldSpec kScheduled[] = {
    {.name = "pruner",
     .type = Type::any_mapping,
     .required = true,
     .doc = "Pruner that makes the masks: a mapping with `class` and its arguments."},
    {.name = "interval_steps",
     .type = Type::number,
     .required = true,
     .doc = "Number of steps between increases of the ratio.",
     .unit = Unit::steps_between},
    {.name = "total_times",
     .type = Type::number,
     .required = true,
     .doc = "Number of increases of the ratio. The run must have at least interval_steps * total_times steps.",
     .unit = Unit::updates},
    {.name = "evaluator", .type = Type::any, .default_value = "null", .doc = "An object from the training script."}};
constexpr FieldSpec kQat[] = {{.name = "quant_start_step",
                               .type = Type::number,
                               .default_value = "0",
                               .doc = "Training steps before quantization starts.",
                               .unit = Unit::steps}};
constexpr FieldSpec kPtq[] = {{.name = "is_bias_correction",
                               .type = Type::truth,
                               .default_value = "false",
                               .doc = "Corrects biases for the shift caused by quantization."}};
constexpr FieldSpec kDistiller[] = {
    {.name = "teacher_model", .type = Type::any, .default_value = "null", .doc = "An object from the training script."},
    {.name = "teacher_predict",
     .type = Type::any,
     .default_value = "null",
     .doc = "A function from the training script."},
    {.name = "origin_loss_lambda",
     .type = Type::number,
     .default_value = "1.0",
     .doc = "Weight of the model's original loss."}};

constexpr ClassSpec kClasses[] = {
    {"LevelPruner",
     Mode::pruning,
     Schedule::at_once,
     {},
     "Masks the weights with the smallest magnitude, without structure.",
     "magnitude"},
    {"L1NormPruner",
     Mode::pruning,
     Schedule::at_once,
     {},
     "Masks the output channels with the smallest L1 norm.",
     "l1"},
    {"L2NormPruner",
     Mode::pruning,
     Schedule::at_once,
     {},
     "Masks the output channels with the smallest L2 norm.",
     "l2"},
    {"FPGMPruner",
     Mode::pruning,
     Schedule::at_once,
     {},
     "Masks the output channels nearest to the geometric median. Targets with a ratio require a `granularity`.",
     "geometric_median"},
    {"SlimPruner", Mode::pruning, Schedule::after, kSlim,
     "Trains scores with a penalty and masks once, after `training_steps`. `apply_method` must be mul.", "slim", false,
     false, true},
    {"TaylorPruner", Mode::pruning, Schedule::after, kTaylor,
     "Records gradients and masks once, after `training_steps`. Only for parameters.", "taylor", true},
    {"MovementPruner", Mode::pruning, Schedule::movement, kMovement,
     "Masks weights that training moves towards zero, at every step. The ratio follows a cubic curve. Only for "
     "parameters.",
     "movement", true, false, true},
    {"LinearPruner", Mode::pruning, Schedule::repeated, kScheduled, "Increases the ratio of another pruner linearly."},
    {"AGPPruner", Mode::pruning, Schedule::repeated, kScheduled,
     "Increases the ratio of another pruner along a cubic curve, fast at first: 1 - (1 - k/n)^3."},
    {"QATQuantizer", Mode::quantization, Schedule::from_step, kQat,
     "Quantization-aware training: rounds values as the quantized model will."},
    {"PtqQuantizer", Mode::quantization, Schedule::always, kPtq,
     "Post-training quantization: calibrates value ranges on data."},
    {"DoReFaQuantizer",
     Mode::quantization,
     Schedule::always,
     {},
     "Low-bit training. `quant_scheme` is required; outputs only of activations; no `granularity`.",
     {},
     false,
     true},
    {"BNNQuantizer",
     Mode::quantization,
     Schedule::always,
     {},
     "Binary quantization: keeps only signs. No `granularity`; `quant_dtype` has no effect.",
     {},
     false,
     true},
    {"LsqQuantizer",
     Mode::quantization,
     Schedule::always,
     {},
     "Learns quantization scales. `quant_dtype` must not be null."},
    {"LsqPlusQuantizer", Mode::quantization, Schedule::always, {}, "Learns quantization scales and offsets."},
    {"DynamicLayerwiseDistiller", Mode::distillation, Schedule::always, kDistiller,
     "Uses the link with the smallest loss."},
    {"Adaptive1dLayerwiseDistiller", Mode::distillation, Schedule::always, kDistiller,
     "Learns to adapt outputs of different sizes. Requires exactly one `link`."},
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
