#include "dialect/nni/table.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/record/conditions.h"
#include "model/typical_names.h"

namespace sparsecfg::dialect::nni {

// Conditions on values of valid fields.
namespace is {

using namespace dialect::is;

// NNI compares step counts by ==, so only a positive whole number can match.
static bool never_reached(const source::Value& value) {
  const double steps = value.number().value_or(0);
  return steps <= 0 || steps != std::floor(steps);
}

static bool word_except(const source::Value& value, std::string_view expected) {
  const auto* text = value.get<std::string>();
  return text != nullptr && *text != expected;
}

static bool not_mul(const source::Value& value) { return word_except(value, "mul"); }

static bool divided(const source::Value& value) {
  return word_except(value, "default") || value.get<source::List>() != nullptr;
}

static bool not_one_item(const source::Value& value) {
  const auto* list = value.get<source::List>();
  return list != nullptr && list->size() != 1;
}

}  // namespace is

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::pruning: return "pruning";
    case Mode::quantization: return "quantization";
    case Mode::distillation: return "distillation";
  }
  return {};
}

const FieldSpec* find_key(std::span<const FieldSpec> keys, std::string_view name) {
  const auto found = std::ranges::find(keys, name, &FieldSpec::name);
  return found == keys.end() ? nullptr : &*found;
}

constexpr std::string_view kPrunable[] = {"Linear",          "Conv1d",          "Conv2d",          "Conv3d",
                                          "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "BatchNorm1d",
                                          "BatchNorm2d",     "BatchNorm3d",     "Embedding"};
constexpr std::string_view kQuantizable[] = {
    "Linear",      "Conv1d",      "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
    "BatchNorm1d", "BatchNorm2d", "ReLU",   "ReLU6",  "Hardtanh",        "MaxPool2d"};

constexpr std::string_view kOfferedTypes[] = {"default",         "Linear",    "Conv1d",          "Conv2d",
                                              "Conv3d",          "Embedding", "BatchNorm1d",     "BatchNorm2d",
                                              "BatchNorm3d",     "ReLU",      "ReLU6",           "Hardtanh",
                                              "ConvTranspose1d", "MaxPool2d", "ConvTranspose2d", "ConvTranspose3d"};
constexpr std::string_view kOfferedTargets[] = {"weight", "bias", "_input_", "_output_"};
constexpr std::string_view kOfferedDtypes[] = {"int8", "uint8", "int4", "uint4", "int16"};
constexpr std::string_view kOfferedLinks[] = {"auto"};
constexpr std::string_view kOlderTargets[] = {"weight", "input", "output"};

// One field per line where possible.
// clang-format off
constexpr FieldSpec kSelection[] = {
    {.name = "op_names", .type = Type::texts, .default_value = "[]",
     .doc = "Full names of modules. NNI 3.0 fails if the model lacks one of them."},
    {.name = "op_names_re", .type = Type::texts, .default_value = "[]",
     .doc = "Regular expressions, matched at the start of full module names."},
    {.name = "op_types", .type = Type::texts, .default_value = "[]", .suggested = kOfferedTypes,
     .doc = "Module class names. They select modules, or restrict the selection by names and patterns."},
    {.name = "exclude_op_names", .type = Type::texts, .default_value = "[]",
     .doc = "Full names of modules to exclude from this entry."},
    {.name = "exclude_op_names_re", .type = Type::texts, .default_value = "[]",
     .doc = "Regular expressions for names of modules to exclude from this entry."},
    {.name = "exclude_op_types", .type = Type::texts, .default_value = "[]", .suggested = kOfferedTypes,
     .doc = "Module class names to exclude from this entry."},
    {.name = "target_names", .type = Type::texts, .default_value = "[]", .suggested = kOfferedTargets,
     .doc = "Tensors of each module. Empty means the default tensors of the module type."},
    {.name = "target_settings", .type = Type::mapping,
     .doc = "Settings of single targets. They override the settings of the entry."},
};

std::span<const FieldSpec> selection_keys() { return kSelection; }

constexpr std::string_view kPruningMethods[] = {"bypass", "mul", "add"};
constexpr std::string_view kQuantizationMethods[] = {"bypass", "clamp_round", "qat_clamp_round"};
constexpr std::string_view kDistillationMethods[] = {"mse", "kl"};
constexpr std::string_view kSchemes[] = {"affine", "symmetric"};
constexpr std::string_view kGranularities[] = {"default", "in_channel", "out_channel", "per_channel"};

constexpr Bounds kAboveZero{.min = 0, .max = 1, .min_excluded = true};
constexpr Bounds kBelowOne{.min = 0, .max = 1, .max_excluded = true};

constexpr FieldSpec kGranularity{
    .name = "granularity",
    .type = Type::choice | Type::list,
    .default_value = "default",
    .choices = kGranularities,
    .doc = "Unit that is masked or quantized together: in_channel, out_channel, per_channel, or block sizes."};

constexpr FieldSpec kAlignFields[] = {
    {.name = "module_name", .type = Type::text, .required = true, .nullable = true,
     .doc = "Module whose mask is used. null means the same module."},
    {.name = "target_name", .type = Type::text, .required = true, .suggested = kOfferedTargets, .doc = "Target of that module."},
    {.name = "dims", .type = Type::list, .required = true, .doc = "Dimensions of the mask to keep."},
};
constexpr ClassSpec kAlign{.name = "align", .fields = kAlignFields};

constexpr FieldSpec kPruning[] = {
    {.name = "sparse_ratio", .type = Type::exact_float, .default_value = "null",
     .doc = "Fraction of the target to mask. Values are clamped to the range 0 to 1."},
    {.name = "sparse_threshold", .type = Type::exact_float, .default_value = "null",
     .doc = "Scores below this value are masked. Mutually exclusive with `sparse_ratio`."},
    {.name = "max_sparse_ratio", .type = Type::number, .default_value = "1.0", .bounds = kAboveZero,
     .doc = "Maximum masked fraction, above 0."},
    {.name = "min_sparse_ratio", .type = Type::number, .default_value = "0.0", .bounds = kBelowOne,
     .doc = "Minimum masked fraction, below 1."},
    {.name = "global_group_id", .type = Type::integer | Type::text, .default_value = "null",
     .doc = "Targets with the same id share one ratio. The weights determine how it is distributed."},
    {.name = "dependency_group_id", .type = Type::integer | Type::text, .default_value = "null",
     .doc = "Targets with the same id are masked at the same positions."},
    {.name = "internal_metric_block", .type = Type::integer, .default_value = "null",
     .doc = "Number of parts of a dependency group that are ranked separately."},
    kGranularity,
    {.name = "apply_method", .type = Type::choice, .default_value = "mul", .choices = kPruningMethods,
     .doc = "How the mask is applied."},
    {.name = "align", .type = Type::record, .default_value = "null", .record = &kAlign,
     .doc = "Uses the mask of another target. The default of a bias is the mask of its weight."},
};

constexpr FieldSpec kQuantization[] = {
    {.name = "quant_dtype", .type = Type::text, .required = true, .suggested = kOfferedDtypes, .nullable = true,
     .doc = "`int` or `uint` and the number of bits, such as int8. null means int8."},
    {.name = "quant_scheme", .type = Type::choice, .default_value = "null", .choices = kSchemes,
     .doc = "How values are mapped to integers."},
    kGranularity,
    {.name = "apply_method", .type = Type::choice, .default_value = "clamp_round", .choices = kQuantizationMethods,
     .doc = "No effect: every quantizer overwrites it."},
    {.name = "fuse_names", .type = Type::text_groups, .default_value = "[]",
     .doc = "Groups of two or three modules to fuse. Lists are read as tuples."},
};

constexpr FieldSpec kDistillation[] = {
    {.name = "lambda", .type = Type::exact_float | Type::integer, .default_value = "1.0",
     .doc = "Weight of this loss in the total loss. Must be a float."},
    {.name = "link", .type = Type::text | Type::texts, .default_value = "auto", .suggested = kOfferedLinks,
     .doc = "Teacher modules to compare with. `auto` means the module of the same name."},
    {.name = "apply_method", .type = Type::choice, .default_value = "mse", .choices = kDistillationMethods,
     .doc = "Distillation loss."},
};

std::span<const FieldSpec> setting_keys(Mode mode) {
  switch (mode) {
    case Mode::pruning: return kPruning;
    case Mode::quantization: return kQuantization;
    case Mode::distillation: return kDistillation;
  }
  return {};
}

constexpr std::string_view kEntryNames[] = {"an entry for pruning", "an entry for quantization",
                                            "an entry for distillation"};

const ClassSpec& entry_spec(Mode mode) {
  static constexpr ClassSpec kEntries[] = {
      {.name = kEntryNames[0], .fields = kPruning, .common = kSelection},
      {.name = kEntryNames[1], .fields = kQuantization, .common = kSelection},
      {.name = kEntryNames[2], .fields = kDistillation, .common = kSelection},
  };
  return kEntries[static_cast<std::size_t>(mode)];
}

const ClassSpec& target_spec(Mode mode) {
  static constexpr ClassSpec kTargetSpecs[] = {
      {.name = "settings of a target", .fields = kPruning},
      {.name = "settings of a target",
       .fields = std::span(kQuantization).first<std::size(kQuantization) - 1>()},  // not fused
      {.name = "settings of a target", .fields = kDistillation},
  };
  return kTargetSpecs[static_cast<std::size_t>(mode)];
}

constexpr FieldSpec kLegacy[] = {
    {.name = "exclude", .type = Type::choice,
     .doc = "2.x: excludes the modules of this entry. 3.0 excludes them from all entries, even if the value is false."},
    {.name = "sparsity", .type = Type::exact_float,
     .doc = "2.x: fraction of each module to mask. 3.0 masks that fraction of `weight`, and `bias` follows."},
    {.name = "sparsity_per_layer", .type = Type::exact_float, .doc = "2.x: the same as `sparsity`."},
    {.name = "total_sparsity", .type = Type::exact_float,
     .doc = "2.x: fraction of the modules of the entry together. 3.0 can't translate it."},
    {.name = "max_sparsity_per_layer", .type = Type::number, .bounds = kAboveZero,
     .doc = "2.x: maximum fraction of one module, used with `total_sparsity`."},
    {.name = "op_partial_names", .type = Type::texts,
     .doc = "2.x: substrings of module names. 3.0 uses them as regular expressions without escaping."},
    {.name = "quant_types", .type = Type::texts, .suggested = kOlderTargets, .doc = "2.x: tensors to quantize: `weight`, `input`, `output`."},
    {.name = "quant_bits", .type = Type::integer,
     .doc = "2.x: number of bits for all tensors, or a mapping from `quant_types` to bits."},
};

std::span<const FieldSpec> legacy_keys() { return kLegacy; }

bool is_legacy_marker(std::string_view key) {
  static constexpr std::string_view kMarkers[] = {"exclude", "sparsity", "sparsity_per_layer", "total_sparsity",
                                                  "quant_types"};
  return std::ranges::find(kMarkers, key) != std::end(kMarkers);
}

constexpr FieldSpec kEpochs[] = {
    {.name = "initial_sparsity", .type = Type::exact_float, .default_value = "0",
     .doc = "1.x: sparsity at `start_epoch`."},
    {.name = "final_sparsity", .type = Type::exact_float, .default_value = "0",
     .doc = "1.x: sparsity at the end of the ramp, one `frequency` before `end_epoch`."},
    {.name = "start_epoch", .type = Type::integer, .default_value = "0",
     .doc = "1.x: epoch of the first mask update.", .unit = Unit::epochs},
    {.name = "end_epoch", .type = Type::integer, .default_value = "1",
     .doc = "1.x: end of the ramp. The last update is one `frequency` earlier.", .unit = Unit::epochs},
    {.name = "frequency", .type = Type::integer, .default_value = "1",
     .doc = "1.x: number of epochs between mask updates.", .unit = Unit::epochs_between},
};

std::span<const FieldSpec> epoch_keys() { return kEpochs; }

// --- classes ------------------------------------------------------------------------------------

DIAGNOSTIC(SP317, never_updates, warning, (Text, Text, Text), "the sparsity never increases: `{0}` is {2}",
           "NNI compares the number of completed steps with the number at which the next update is due. A number that "
           "is 0, negative or fractional is never reached, and NNI does not report it.",
           "write a whole number greater than 0")

constexpr Unsupported kNeverReached[] = {{is::never_reached, diag::never_updates}};
constexpr FieldSpec kTrainingSteps{
    .name = "training_steps", .type = Type::number, .required = true, .unsupported = kNeverReached,
    .doc = "Training steps before the mask is made. Inside a scheduled pruner, at most `interval_steps`; a lower "
           "value means that the last target ratio is never applied.", .unit = Unit::steps};
constexpr FieldSpec kRegularScale{
    .name = "regular_scale", .type = Type::number, .default_value = "1.0",
    .doc = "Strength of the penalty that reduces scores."};
constexpr FieldSpec kSlim[] = {kTrainingSteps, kRegularScale};
constexpr FieldSpec kTaylor[] = {kTrainingSteps};
constexpr FieldSpec kMovement[] = {
    {.name = "warmup_step", .type = Type::number, .required = true, .bounds = {.min = 0},
     .doc = "Step after which the ratio starts to increase.", .unit = Unit::steps},
    {.name = "cooldown_begin_step", .type = Type::number, .required = true,
     .doc = "Step at which the target ratio is reached. Must be above `warmup_step` and within the run.",
     .unit = Unit::steps},
    kRegularScale};
DIAGNOSTIC(SP323, no_updates, error, (Text, Text, Text), "`total_times` must not be 0, because NNI divides by it",
           "The pruner increases the ratio `total_times` times. It stops with a ZeroDivisionError.",
           "write a whole number greater than 0")

constexpr Unsupported kTimes[] = {{is::zero, diag::no_updates}, {is::negative, diag::never_updates}};
constexpr FieldSpec kScheduled[] = {
    {.name = "pruner", .type = Type::any_mapping, .required = true,
     .doc = "Pruner that makes the masks: a mapping with `class` and its arguments."},
    {.name = "interval_steps", .type = Type::number, .required = true, .unsupported = kNeverReached,
     .doc = "Number of steps between increases of the ratio.", .unit = Unit::steps_between},
    {.name = "total_times", .type = Type::number, .required = true, .unsupported = kTimes,
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
    {.name = "teacher_predict", .type = Type::any, .default_value = "null",
     .doc = "A function from the training script."},
    {.name = "origin_loss_lambda", .type = Type::number, .default_value = "1.0",
     .doc = "Weight of the model's original loss."}};

// --- what classes support of the settings of targets ---------------------------------------------

DIAGNOSTIC(SP432, masks_only_multiplied, error, (Text, Text, Text), "`{1}` supports only `apply_method: mul`",
           "SlimPruner trains a score for each channel and masks by multiplication. Its constructor stops with an "
           "AssertionError at any other method.",
           "delete `apply_method`, or write `mul`")

constexpr Unsupported kNotMul[] = {{is::not_mul, diag::masks_only_multiplied}};
constexpr FieldSpec kOfSlim[] = {{.name = "apply_method", .unsupported = kNotMul}};

DIAGNOSTIC(SP828, granularity_unsupported, error, (Text, Text, Text), "`{1}` does not support `granularity`",
           "DoReFaQuantizer and BNNQuantizer quantize each tensor as a whole. They raise a ValueError if a target has a "
           "granularity other than `default`.",
           "delete `granularity`, or use another quantizer")
DIAGNOSTIC(SP829, scheme_required, error, (Text, Text, Text), "`{1}` requires a `quant_scheme`",
           "DoReFaQuantizer checks the scheme of each target, and stops with an error if there is none. It ignores a "
           "scheme other than `affine`, with a warning.",
           "write `quant_scheme: affine`")

constexpr Unsupported kDivided[] = {{is::divided, diag::granularity_unsupported}};
constexpr Unsupported kNoScheme[] = {{is::null, diag::scheme_required}};
constexpr std::string_view kAffine[] = {"affine"};
constexpr FieldSpec kOfDorefa[] = {
    {.name = "granularity", .unsupported = kDivided},
    {.name = "quant_scheme", .choices = kAffine, .no_effect = "DoReFaQuantizer supports only `affine`", .unsupported = kNoScheme},
};
constexpr FieldSpec kOfBnn[] = {
    {.name = "granularity", .unsupported = kDivided},
    {.name = "quant_dtype", .no_effect = "BNNQuantizer keeps only signs"},
};

DIAGNOSTIC(SP830, dtype_required, error, (Text, Text, Text), "`{1}` requires a `quant_dtype` that is not null",
           "Other quantizers use int8 for a type of null. LsqQuantizer fails on it with an AttributeError.",
           "write `quant_dtype: int8`")

constexpr Unsupported kNoDtype[] = {{is::null, diag::dtype_required}};
constexpr std::string_view kSymmetric[] = {"symmetric"};
constexpr FieldSpec kOfLsq[] = {
    {.name = "quant_dtype", .unsupported = kNoDtype},
    {.name = "quant_scheme", .choices = kSymmetric, .no_effect = "LsqQuantizer supports only `symmetric`"},
};
constexpr FieldSpec kOfLsqPlus[] = {
    {.name = "quant_scheme", .choices = kAffine, .no_effect = "LsqPlusQuantizer supports only `affine`"}};

DIAGNOSTIC(SP632, one_link_required, error, (Text, Text, Text), "`{1}` requires exactly one `link`",
           "Adaptive1dLayerwiseDistiller adapts the output of each target to the output of one module of the teacher. It "
           "stops with an error if `link` is a list of another length.",
           "list one module of the teacher in `link`, or use DynamicLayerwiseDistiller")

constexpr Unsupported kNotOneLink[] = {{is::not_one_item, diag::one_link_required}};
constexpr FieldSpec kOfAdaptive[] = {{.name = "link", .unsupported = kNotOneLink}};

constexpr ClassSpec kClasses[] = {
    {.name = "LevelPruner", .kind = Schedule::at_once, .fields = {},
     .doc = "Masks the weights with the smallest magnitude, without structure.",
     .flags = kMasksSingleWeights, .section = Mode::pruning, .criterion = "magnitude"},
    {.name = "L1NormPruner", .kind = Schedule::at_once, .fields = {},
     .doc = "Masks the output channels with the smallest L1 norm.", .section = Mode::pruning, .criterion = "l1"},
    {.name = "L2NormPruner", .kind = Schedule::at_once, .fields = {},
     .doc = "Masks the output channels with the smallest L2 norm.", .section = Mode::pruning, .criterion = "l2"},
    {.name = "FPGMPruner", .kind = Schedule::at_once, .fields = {},
     .doc = "Masks the output channels nearest to the geometric median. Targets with a ratio require a `granularity`.",
     .flags = kRequiresBlocks, .section = Mode::pruning, .criterion = "geometric_median"},
    {.name = "SlimPruner", .kind = Schedule::after, .fields = kSlim,
     .doc = "Trains scores with a penalty and masks once, after `training_steps`. `apply_method` must be mul.",
     .flags = kAddsScores, .section = Mode::pruning, .criterion = "slim", .limits = kOfSlim},
    {.name = "TaylorPruner", .kind = Schedule::after, .fields = kTaylor,
     .doc = "Records gradients and masks once, after `training_steps`. Only for parameters.",
     .flags = kParametersOnly, .section = Mode::pruning, .criterion = "taylor"},
    {.name = "MovementPruner", .kind = Schedule::movement, .fields = kMovement,
     .doc = "Masks weights that training moves towards zero, at every step. The ratio follows a cubic curve. Only for "
            "parameters.", .flags = kParametersOnly | kAddsScores | kCubic, .section = Mode::pruning, .criterion = "movement"},
    {.name = "LinearPruner", .kind = Schedule::repeated, .fields = kScheduled,
     .doc = "Increases the ratio of another pruner linearly.", .section = Mode::pruning},
    {.name = "AGPPruner", .kind = Schedule::repeated, .fields = kScheduled,
     .doc = "Increases the ratio of another pruner along a cubic curve, fast at first: 1 - (1 - k/n)^3.",
     .flags = kCubic, .section = Mode::pruning},
    {.name = "QATQuantizer", .kind = Schedule::from_step, .fields = kQat,
     .doc = "Quantization-aware training: rounds values as the quantized model will.",
     .flags = kDividesByRange, .section = Mode::quantization},
    {.name = "PtqQuantizer", .kind = Schedule::always, .fields = kPtq,
     .doc = "Post-training quantization: calibrates value ranges on data.",
     .flags = kMeasuresAll, .section = Mode::quantization},
    {.name = "DoReFaQuantizer", .kind = Schedule::always, .fields = {},
     .doc = "Low-bit training. `quant_scheme` is required; outputs only of activations; no `granularity`.",
     .flags = kActivationsOnly | kDividesOutputs, .section = Mode::quantization, .limits = kOfDorefa},
    {.name = "BNNQuantizer", .kind = Schedule::always, .fields = {},
     .doc = "Binary quantization: keeps only signs. No `granularity`; `quant_dtype` has no effect.",
     .section = Mode::quantization, .limits = kOfBnn},
    {.name = "LsqQuantizer", .kind = Schedule::always, .fields = {},
     .doc = "Learns quantization scales. `quant_dtype` must not be null.",
     .flags = kDividesByRange, .section = Mode::quantization, .limits = kOfLsq},
    {.name = "LsqPlusQuantizer", .kind = Schedule::always, .fields = {},
     .doc = "Learns quantization scales and offsets.",
     .flags = kDividesByRange, .section = Mode::quantization, .limits = kOfLsqPlus},
    {.name = "DynamicLayerwiseDistiller", .kind = Schedule::always, .fields = kDistiller,
     .doc = "Uses the link with the smallest loss.", .section = Mode::distillation},
    {.name = "Adaptive1dLayerwiseDistiller", .kind = Schedule::always, .fields = kDistiller,
     .doc = "Learns to adapt outputs of different sizes. Requires exactly one `link`.", .section = Mode::distillation,
     .limits = kOfAdaptive},
};

// clang-format on

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

// Classes of modules that have no parameters, of torch.nn.
constexpr std::string_view kParameterless[] = {"ReLU",
                                               "ReLU6",
                                               "RReLU",
                                               "LeakyReLU",
                                               "Softplus",
                                               "ELU",
                                               "CELU",
                                               "SELU",
                                               "GELU",
                                               "SiLU",
                                               "Mish",
                                               "Sigmoid",
                                               "Tanh",
                                               "Softsign",
                                               "Hardtanh",
                                               "Threshold",
                                               "Softmin",
                                               "Tanhshrink",
                                               "Softmax",
                                               "LogSoftmax",
                                               "Softshrink",
                                               "Hardshrink",
                                               "LogSigmoid",
                                               "Hardswish",
                                               "Hardsigmoid",
                                               "MaxPool1d",
                                               "MaxPool2d",
                                               "MaxPool3d",
                                               "AvgPool1d",
                                               "AvgPool2d",
                                               "AvgPool3d",
                                               "Dropout",
                                               "Dropout2d",
                                               "Identity",
                                               "Flatten",
                                               "AdaptiveAvgPool1d",
                                               "AdaptiveAvgPool2d",
                                               "AdaptiveAvgPool3d",
                                               "AdaptiveMaxPool2d",
                                               "Upsample"};

bool has_no_parameters(std::string_view type) { return base::contains(kParameterless, type); }

std::span<const std::string_view> registered_types(Mode mode) {
  switch (mode) {
    case Mode::pruning: return kPrunable;
    case Mode::quantization: return kQuantizable;
    case Mode::distillation: return {};
  }
  return {};
}

std::optional<std::string_view> registered_type_meant_by(std::string_view type, Mode mode) {
  const auto types = registered_types(mode);
  const std::string_view name = base::last_part(type);
  const auto same = std::ranges::find(types, name == "Dense" ? "Linear" : name);
  return same != types.end() ? std::optional(*same) : base::nearest(name, types);
}

std::span<const std::string_view> default_targets(Mode mode, std::string_view type) {
  if (mode == Mode::distillation) {
    return kOutput;
  }
  if (!base::contains(registered_types(mode), type)) {
    return {};
  }
  if (mode == Mode::quantization) {
    return has_no_parameters(type) ? std::span<const std::string_view>(kInputAndOutput) : kAllTensors;
  }
  return type == "Embedding" ? std::span<const std::string_view>(kWeight) : kWeightAndBias;
}

bool lacks_tensor(std::string_view type, std::string_view name) {
  if (has_no_parameters(type)) {
    return true;
  }
  const bool normalizes = type.starts_with("BatchNorm") && model::is_buffer_of_norm(name);
  const bool known = base::contains(kPrunable, type);
  return known && name != "weight" && (name != "bias" || type == "Embedding") && !normalizes;
}

constexpr std::string_view kWeighted[] = {"Conv1d",          "Conv2d",          "Conv3d",      "ConvTranspose1d",
                                          "ConvTranspose2d", "ConvTranspose3d", "Linear",      "Bilinear",
                                          "PReLU",           "Embedding",       "EmbeddingBag"};

std::span<const std::string_view> weighted_types() { return kWeighted; }

}  // namespace sparsecfg::dialect::nni
