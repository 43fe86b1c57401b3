#include "dialect/sparseml/staged/table.h"

#include <algorithm>

#include "dialect/stages/rows.h"

namespace sparsecfg::dialect::sparseml::staged {

// A field is a line where it can be.
// clang-format off
using enum Accepts;
using stages::kGlobally;
using stages::kInitialSparsity;
using stages::kOwlLambda;
using stages::kOwlM;
using stages::kPreserveMask;
using stages::kTrainingMask;

constexpr std::string_view kSchedulers[] = {"linear", "cubic", "polynomial_decay", "polynomial", "multi_step"};

constexpr FieldSpec kCommon[] = {
    {.name = "index", .accepts = whole, .default_value = "null", .nullable = true,
     .no_effect = "SparseML overwrites it", .doc = "Place in the stage, set by SparseML."},
    {.name = "group", .accepts = text, .default_value = "null", .nullable = true,
     .no_effect = "SparseML overwrites it", .doc = "Name of the stage, set by SparseML."},
    {.name = "start", .accepts = real, .default_value = "null", .nullable = true,
     .doc = "Epoch of the first step at which it acts; without one it is left out of training.", .unit = Unit::epochs},
    {.name = "end", .accepts = real, .default_value = "null", .nullable = true,
     .doc = "Epoch before which it ends: the last step that it sees comes before.", .unit = Unit::epochs},
    {.name = "update", .accepts = real, .default_value = "null", .nullable = true,
     .doc = "Epochs between updates; pruners do not look at it and update at every step.",
     .unit = Unit::epochs_between},
};

constexpr FieldSpec kTargets{
    .name = "targets", .accepts = text | texts, .required = true,
    .doc = "Names or `re:` patterns of layers, their types or parameters, or one of `__ALL__`, "
           "`__ALL_PRUNABLE__` and `__ALL_QUANTIZABLE__` in place of the list."};

constexpr FieldSpec kMagnitude[] = {
    kTargets,
    kInitialSparsity,
    {.name = "final_sparsity", .accepts = real, .required = true, .doc = "Sparsity that the end would reach."},
    {.name = "update_scheduler", .accepts = text, .default_value = "cubic",
     .doc = "Course between the two: a word, or `calc(...)` around a Python expression without parentheses.",
     .unit = Unit::formula},
    {.name = "scheduler_args", .accepts = mapping, .default_value = "{}",
     .doc = "`exponent` of the polynomials, `steps` of multi_step, names for `calc(...)`."},
    kTrainingMask,
    {.name = "leave_enabled", .accepts = boolean, .default_value = "true", .doc = "Whether the last mask stays in force."},
    kGlobally,
};

constexpr FieldSpec kConstant[] = {kTargets};

constexpr FieldSpec kSparsity{
    .name = "sparsity", .accepts = real | reals, .default_value = "0.0", .doc = "Sparsity, one for all layers or a list."};
constexpr FieldSpec kProfile{
    .name = "sparsity_profile", .accepts = text, .default_value = "null", .nullable = true,
    .doc = "`owl` shares the sparsity out among the layers by their outliers."};
constexpr FieldSpec kMaskOfBlocks{
    .name = "mask_structure", .accepts = text, .default_value = "0:0",
    .doc = "N:M leaves N of every M weights; `0:0` any of them. In quotes."};
constexpr FieldSpec kSequential{
    .name = "sequential_update", .accepts = boolean, .default_value = "false", .nullable = true,
    .doc = "Whether layers are done one after the other, which saves memory."};
constexpr FieldSpec kLayers{
    .name = "targets", .accepts = text | texts, .default_value = "null", .nullable = true,
    .doc = "Layers to compress; null: all layers of the decoder."};
constexpr FieldSpec kBlockSize{
    .name = "block_size", .accepts = whole, .default_value = "128", .doc = "Columns that are compressed at a time."};
constexpr FieldSpec kDampening{
    .name = "dampening_frac", .accepts = real, .default_value = "0.01", .nullable = true,
    .doc = "Share of the mean of the Hessian's diagonal that is added to it."};
constexpr FieldSpec kIgnore{
    .name = "ignore", .accepts = texts, .default_value = "[]", .doc = "Names or types of layers that are left out."};
constexpr FieldSpec kNullableIgnore{
    .name = "ignore", .accepts = texts, .default_value = "null", .nullable = true,
    .doc = "Names or types of layers that are left out."};
constexpr FieldSpec kObservers{
    .name = "disable_quantization_observer_epoch", .accepts = real, .default_value = "null", .nullable = true,
    .doc = "Epoch from which the observers keep their ranges.", .unit = Unit::epochs};
constexpr FieldSpec kCalibration{
    .name = "num_calibration_steps", .accepts = whole, .default_value = "null", .nullable = true,
    .doc = "Batches to calibrate on; null: all there are."};

constexpr FieldSpec kSparseGpt[] = {
    kSparsity, kProfile, kOwlM, kOwlLambda, kMaskOfBlocks, kSequential, kLayers, kBlockSize, kDampening,
    kPreserveMask,
};

constexpr FieldSpec kWanda[] = {kSparsity, kProfile, kOwlM, kOwlLambda, kMaskOfBlocks, kSequential, kLayers};

constexpr FieldSpec kGptq[] = {
    kSequential, kLayers, kBlockSize,
    {.name = "quantize", .accepts = boolean | mapping, .default_value = "true",
     .doc = "true, or a mapping of the one quantization modifier to build."},
    kDampening,
    {.name = "config_groups", .accepts = mapping, .default_value = "null", .nullable = true,
     .doc = "Groups of layers with a quantization scheme each."},
    kIgnore, kObservers, kCalibration,
    {.name = "scheme", .accepts = text | mapping, .default_value = "null", .nullable = true,
     .doc = "Name of a preset scheme, or presets to their targets, or a scheme; wins over `config_groups`."},
};

constexpr FieldSpec kQuantization[] = {
    {.name = "config_groups", .accepts = mapping, .required = true,
     .doc = "Groups of layers with a quantization scheme each."},
    kIgnore, kObservers, kCalibration,
};

constexpr FieldSpec kLegacyQuantization[] = {
    kNullableIgnore, kObservers,
    {.name = "freeze_bn_stats_epoch", .accepts = real, .default_value = "null", .nullable = true,
     .doc = "Epoch from which batch norms keep their statistics.", .unit = Unit::epochs},
    {.name = "model_fuse_fn_name", .accepts = text, .default_value = "null", .nullable = true,
     .doc = "Function that fuses the model's layers; `no_fuse` leaves them alone."},
    {.name = "model_fuse_fn_kwargs", .accepts = mapping, .default_value = "null", .nullable = true,
     .doc = "Arguments of that function."},
    kCalibration,
    {.name = "post_oneshot_calibration", .accepts = boolean, .default_value = "false", .nullable = true,
     .doc = "Whether to calibrate again when all modifiers are done."},
    {.name = "strict", .accepts = boolean, .default_value = "true",
     .doc = "Whether every override and every ignored name must exist."},
    {.name = "scheme", .default_value = "null", .nullable = true,
     .doc = "`default`, `deepsparse`, `tensorrt`, or a mapping of `input_activations`, `weights`, "
            "`output_activations` and `target_hardware`."},
    {.name = "scheme_overrides", .accepts = mapping, .default_value = "null", .nullable = true,
     .doc = "Layer names or types to schemes of their own."},
};

constexpr FieldSpec kSmoothing[] = {
    {.name = "smoothing_strength", .accepts = real, .default_value = "0.5", .doc = "How far outliers are smoothed, 0 to 1."},
    {.name = "mappings", .accepts = groups, .required = true,
     .doc = "Pairs of the layers to balance and the layer whose output is smoothed."},
    kNullableIgnore, kCalibration,
};

constexpr FieldSpec kDistillation[] = {
    {.name = "targets", .accepts = text | layer_pairs, .required = true,
     .doc = "Layers to distil, or pairs of a student's and a teacher's layer."},
    {.name = "projection", .accepts = text, .default_value = "null", .nullable = true, .doc = "Projection of the outputs."},
    {.name = "projection_args", .accepts = mapping, .default_value = "null", .nullable = true, .doc = "Its arguments."},
    {.name = "transforms", .accepts = text | texts, .default_value = "identity", .nullable = true,
     .doc = "What is done to outputs before they are compared."},
    {.name = "transforms_args", .accepts = mapping | mappings, .default_value = "null", .nullable = true, .doc = "Their arguments."},
    {.name = "comparison", .accepts = text, .default_value = "kl_divergence", .doc = "How outputs are compared."},
    {.name = "comparison_args", .accepts = mapping, .default_value = "null", .nullable = true, .doc = "Its arguments."},
    {.name = "orig_scale", .accepts = real, .default_value = "1.0", .doc = "Factor of the task's loss."},
    {.name = "distill_scale", .accepts = real, .default_value = "1.0", .doc = "Factor of the distillation's loss."},
    {.name = "offload_layer_output", .accepts = boolean, .default_value = "false",
     .doc = "Whether outputs are kept in the memory of the CPU."},
};

constexpr std::uint8_t kind(Meaning meaning) { return static_cast<std::uint8_t>(meaning); }

constexpr ModifierSpec kModifiers[] = {
    {"ConstantPruningModifier", kind(Meaning::constant_pruning), kConstant, "Keeps the zeros that are there."},
    {"GPTQModifier", kind(Meaning::gptq), kGptq, "Quantizes weights in one shot, layer by layer."},
    {"LegacyQuantizationModifier", kind(Meaning::legacy_quantization), kLegacyQuantization,
     "Quantization with the schemes of the older recipes."},
    {"LogarithmicEqualizationModifier", kind(Meaning::smoothing), kSmoothing,
     "Moves outliers from activations to weights on a logarithmic scale."},
    {"MagnitudePruningModifier", kind(Meaning::magnitude_pruning), kMagnitude,
     "Removes the smallest weights, by a course from one sparsity to another."},
    {"OutputDistillationModifier", kind(Meaning::distillation), kDistillation, "Adds the teacher's outputs to the loss."},
    {"QuantizationModifier", kind(Meaning::quantization), kQuantization, "Quantization described by groups of layers."},
    {"SmoothQuantModifier", kind(Meaning::smoothing), kSmoothing, "Moves outliers from activations to weights."},
    {"SparseGPTModifier", kind(Meaning::sparse_gpt), kSparseGpt, "Prunes in one shot and updates the remaining weights to compensate."},
    {"WandaPruningModifier", kind(Meaning::wanda), kWanda, "Prunes in one shot by weights and activations."},
};
static_assert(std::ranges::is_sorted(kModifiers, {}, &ModifierSpec::name));

// The names of fields in recipes of tags, and in older versions of recipes of stages.
constexpr stages::Renamed kRenamed[] = {
    {"start_epoch", "start"},        {"end_epoch", "end"},
    {"update_frequency", "update"},  {"params", "targets"},
    {"mask_type", "mask_structure"}, {"inter_func", "update_scheduler"},
    {"percdamp", "dampening_frac"},  {"alpha", "smoothing_strength"},
};

constexpr stages::Table kTable{
    "SparseML", kModifiers, kCommon, kRenamed, "in a recipe of stages there are fewer modifiers than in one of tags",
    "SparseML silently drops it"};

// clang-format on

const stages::Table& table() { return kTable; }

std::span<const std::string_view> schedulers() { return kSchedulers; }

}  // namespace sparsecfg::dialect::sparseml::staged
