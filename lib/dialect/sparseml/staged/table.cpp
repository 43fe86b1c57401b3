#include "dialect/sparseml/staged/table.h"

#include <algorithm>

#include "dialect/stages/table.h"

namespace sparsecfg::dialect::sparseml::staged {

// One field per line where possible.
// clang-format off
using enum Type;
using stages::kGlobally;
using stages::kInitialSparsity;
using stages::kOwlLambda;
using stages::kOwlM;
using stages::kPreserveMask;
using stages::kTrainingMask;

using stages::kUpdateSchedulers;
constexpr std::string_view kTargetTokens[] = {"__ALL__", "__ALL_PRUNABLE__", "__ALL_QUANTIZABLE__"};
constexpr std::string_view kSparsityProfiles[] = {"owl"};
constexpr std::string_view kMaskPatterns[] = {"0:0", "2:4"};

constexpr FieldSpec kCommon[] = {
    {.name = "index", .type = whole, .default_value = "null", .nullable = true,
     .no_effect = "SparseML overwrites it", .doc = "Position in the stage. Set by SparseML."},
    {.name = "group", .type = text, .default_value = "null", .nullable = true,
     .no_effect = "SparseML overwrites it", .doc = "Name of the stage. Set by SparseML."},
    {.name = "start", .type = real, .default_value = "null", .nullable = true,
     .doc = "Epoch at which the modifier starts. Without it the modifier is not used in training.",
     .unit = Unit::epochs},
    {.name = "end", .type = real, .default_value = "null", .nullable = true,
     .doc = "Epoch at which the modifier ends. It acts for the last time in the step before.", .unit = Unit::epochs},
    {.name = "update", .type = real, .default_value = "null", .nullable = true,
     .doc = "Number of epochs between updates. Pruners ignore it and update at every step.",
     .unit = Unit::epochs_between},
};

constexpr FieldSpec kTargets{
    .name = "targets", .type = text | texts, .required = true, .suggested = kTargetTokens,
    .doc = "Names, types or `re:` patterns of layers or parameters. A single string may be `__ALL__`, "
           "`__ALL_PRUNABLE__` or `__ALL_QUANTIZABLE__`."};

constexpr FieldSpec kMagnitude[] = {
    kTargets,
    kInitialSparsity,
    {.name = "final_sparsity", .type = real, .required = true,
     .doc = "Final sparsity, which would be reached at `end`."},
    {.name = "update_scheduler", .type = text, .default_value = "cubic", .suggested = kUpdateSchedulers,
     .doc = "Shape of the ramp: a name, or `calc(...)` with a Python expression without parentheses.",
     .unit = Unit::formula},
    {.name = "scheduler_args", .type = mapping, .default_value = "{}",
     .doc = "Arguments: `exponent` of the polynomials, `steps` of multi_step, names used in `calc(...)`."},
    kTrainingMask,
    {.name = "leave_enabled", .type = boolean, .default_value = "true",
     .doc = "If true, the last mask stays active after the end."},
    kGlobally,
};

constexpr FieldSpec kConstant[] = {kTargets};

constexpr FieldSpec kSparsity{
    .name = "sparsity", .type = real | reals, .default_value = "0.0",
    .doc = "Sparsity: one number for all layers, or a list."};
constexpr FieldSpec kProfile{
    .name = "sparsity_profile", .type = text, .default_value = "null", .suggested = kSparsityProfiles, .nullable = true,
    .doc = "`owl` distributes the sparsity among the layers by their outliers."};
constexpr FieldSpec kMaskOfBlocks{
    .name = "mask_structure", .type = text, .default_value = "0:0", .suggested = kMaskPatterns,
    .doc = "N:M pattern, in quotes: keeps N of every M weights. `0:0` means unstructured."};
constexpr FieldSpec kSequential{
    .name = "sequential_update", .type = boolean, .default_value = "false", .nullable = true,
    .doc = "If true, process one layer at a time, which saves memory."};
constexpr FieldSpec kLayers{
    .name = "targets", .type = text | texts, .default_value = "null", .nullable = true,
    .doc = "Layers to compress. null means all decoder layers."};
constexpr FieldSpec kBlockSize{
    .name = "block_size", .type = whole, .default_value = "128", .doc = "Number of columns compressed at a time."};
constexpr FieldSpec kDampening{
    .name = "dampening_frac", .type = real, .default_value = "0.01", .nullable = true,
    .doc = "Damping: fraction of the mean Hessian diagonal that is added to the diagonal."};
constexpr FieldSpec kIgnore{
    .name = "ignore", .type = texts, .default_value = "[]", .doc = "Names or types of layers to skip."};
constexpr FieldSpec kNullableIgnore{
    .name = "ignore", .type = texts, .default_value = "null", .nullable = true,
    .doc = "Names or types of layers to skip."};
constexpr FieldSpec kObservers{
    .name = "disable_quantization_observer_epoch", .type = real, .default_value = "null", .nullable = true,
    .doc = "Epoch at which the observer ranges are frozen.", .unit = Unit::epochs};
constexpr FieldSpec kCalibration{
    .name = "num_calibration_steps", .type = whole, .default_value = "null", .nullable = true,
    .doc = "Number of calibration batches. null means all batches."};

constexpr FieldSpec kSparseGpt[] = {
    kSparsity, kProfile, kOwlM, kOwlLambda, kMaskOfBlocks, kSequential, kLayers, kBlockSize, kDampening,
    kPreserveMask,
};

constexpr FieldSpec kWanda[] = {kSparsity, kProfile, kOwlM, kOwlLambda, kMaskOfBlocks, kSequential, kLayers};

constexpr FieldSpec kGptq[] = {
    kSequential, kLayers, kBlockSize,
    {.name = "quantize", .type = boolean | mapping, .default_value = "true",
     .doc = "true, or a mapping with one quantization modifier to build."},
    kDampening,
    {.name = "config_groups", .type = mapping, .default_value = "null", .nullable = true,
     .doc = "Groups of layers, each with a quantization scheme."},
    kIgnore, kObservers, kCalibration,
    {.name = "scheme", .type = text | mapping, .default_value = "null", .nullable = true,
     .doc = "Name of a preset scheme, a mapping from presets to targets, or a scheme. Overrides `config_groups`."},
};

constexpr FieldSpec kQuantization[] = {
    {.name = "config_groups", .type = mapping, .required = true,
     .doc = "Groups of layers, each with a quantization scheme."},
    kIgnore, kObservers, kCalibration,
};

constexpr FieldSpec kLegacyQuantization[] = {
    kNullableIgnore, kObservers,
    {.name = "freeze_bn_stats_epoch", .type = real, .default_value = "null", .nullable = true,
     .doc = "Epoch at which the batch norm statistics are frozen.", .unit = Unit::epochs},
    {.name = "model_fuse_fn_name", .type = text, .default_value = "null", .nullable = true,
     .doc = "Name of the model method that fuses layers. `no_fuse` disables fusing."},
    {.name = "model_fuse_fn_kwargs", .type = mapping, .default_value = "null", .nullable = true,
     .doc = "Arguments of the layer fusion function."},
    kCalibration,
    {.name = "post_oneshot_calibration", .type = boolean, .default_value = "false", .nullable = true,
     .doc = "If true, calibrate again after all modifiers have run."},
    {.name = "strict", .type = boolean, .default_value = "true",
     .doc = "If true, every name in the overrides and in `ignore` must exist in the model."},
    {.name = "scheme", .default_value = "null", .nullable = true,
     .doc = "Quantization scheme: `default`, `deepsparse`, `tensorrt`, or a mapping of `input_activations`, `weights`, "
            "`output_activations` and `target_hardware`."},
    {.name = "scheme_overrides", .type = mapping, .default_value = "null", .nullable = true,
     .doc = "Schemes for individual layers, keyed by layer name or type."},
};

constexpr FieldSpec kSmoothing[] = {
    {.name = "smoothing_strength", .type = real, .default_value = "0.5", .doc = "Smoothing strength, 0 to 1."},
    {.name = "mappings", .type = groups, .required = true,
     .doc = "Pairs: the layers to balance, and the layer whose output is smoothed."},
    kNullableIgnore, kCalibration,
};

constexpr FieldSpec kDistillation[] = {
    {.name = "targets", .type = text | layer_pairs, .required = true,
     .doc = "Layers to distill, or pairs of a student layer and a teacher layer."},
    {.name = "projection", .type = text, .default_value = "null", .nullable = true,
     .doc = "Projection applied to the outputs."},
    {.name = "projection_args", .type = mapping, .default_value = "null", .nullable = true,
     .doc = "Arguments of `projection`."},
    {.name = "transforms", .type = text | texts, .default_value = "identity", .nullable = true,
     .doc = "Transforms applied to the outputs before they are compared."},
    {.name = "transforms_args", .type = mapping | mappings, .default_value = "null", .nullable = true,
     .doc = "Arguments of `transforms`."},
    {.name = "comparison", .type = text, .default_value = "kl_divergence",
     .doc = "Function that compares the outputs."},
    {.name = "comparison_args", .type = mapping, .default_value = "null", .nullable = true,
     .doc = "Arguments of `comparison`."},
    {.name = "orig_scale", .type = real, .default_value = "1.0", .doc = "Weight of the task loss."},
    {.name = "distill_scale", .type = real, .default_value = "1.0", .doc = "Weight of the distillation loss."},
    {.name = "offload_layer_output", .type = boolean, .default_value = "false",
     .doc = "If true, keep outputs in CPU memory."},
};

constexpr ClassSpec kModifiers[] = {
    {.name = "ConstantPruningModifier", .kind = ClassKind::constant_pruning, .fields = kConstant,
     .doc = "Keeps weights that are already zero at zero.", .common = kCommon},
    {.name = "GPTQModifier", .kind = ClassKind::gptq, .fields = kGptq, .doc = "Quantizes weights in one shot, layer by layer.", .common = kCommon},
    {.name = "LegacyQuantizationModifier", .kind = ClassKind::legacy_quantization, .fields = kLegacyQuantization,
     .doc = "Quantizes with the schemes of the older recipe format.", .common = kCommon},
    {.name = "LogarithmicEqualizationModifier", .kind = ClassKind::smoothing, .fields = kSmoothing,
     .doc = "Shifts outliers from activations to weights on a logarithmic scale.", .common = kCommon},
    {.name = "MagnitudePruningModifier", .kind = ClassKind::magnitude_pruning, .fields = kMagnitude,
     .doc = "Prunes gradually by magnitude, from one sparsity to another.", .common = kCommon},
    {.name = "OutputDistillationModifier", .kind = ClassKind::distillation, .fields = kDistillation,
     .doc = "Adds the difference from the teacher outputs to the loss.", .common = kCommon},
    {.name = "QuantizationModifier", .kind = ClassKind::quantization, .fields = kQuantization,
     .doc = "Quantizes groups of layers, each with its own scheme.", .common = kCommon},
    {.name = "SmoothQuantModifier", .kind = ClassKind::smoothing, .fields = kSmoothing, .doc = "Shifts outliers from activations to weights.", .common = kCommon},
    {.name = "SparseGPTModifier", .kind = ClassKind::sparse_gpt, .fields = kSparseGpt,
     .doc = "Prunes in one shot and updates the remaining weights to compensate.", .common = kCommon},
    {.name = "WandaPruningModifier", .kind = ClassKind::wanda, .fields = kWanda,
     .doc = "Prunes in one shot by the magnitude of weights and activations.", .common = kCommon},
};
static_assert(std::ranges::is_sorted(kModifiers, {}, &ClassSpec::name));

// Field names in tag recipes and in older versions of stage recipes.
constexpr stages::Renamed kRenamed[] = {
    {"start_epoch", "start"},        {"end_epoch", "end"},
    {"update_frequency", "update"},  {"params", "targets"},
    {"mask_type", "mask_structure"}, {"inter_func", "update_scheduler"},
    {"percdamp", "dampening_frac"},  {"alpha", "smoothing_strength"},
};

constexpr ClassSpec kOpaque{.name = "opaque", .kind = ClassKind::opaque, .fields = {}, .open = true};

const stages::Table kTable{
    "SparseML", kModifiers, kRenamed, "list them with `sparsecfg explain modifiers`: stage recipes support "
    "fewer than tag recipes",
    "delete the field: SparseML silently ignores it", nullptr,
    [](std::string_view name) { return table().find(name); }, &kOpaque};

// clang-format on

const stages::Table& table() { return kTable; }

std::span<const std::string_view> schedulers() { return kUpdateSchedulers; }

}  // namespace sparsecfg::dialect::sparseml::staged
