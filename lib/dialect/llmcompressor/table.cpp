#include "dialect/llmcompressor/table.h"

#include <algorithm>

#include "dialect/llmcompressor/records.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/stages/rows.h"

namespace sparsecfg::dialect::llmcompressor {

// A field is a line where it can be.
// clang-format off
using enum Accepts;
using stages::kGlobally;
using stages::kInitialSparsity;
using stages::kOwlLambda;
using stages::kOwlM;
using stages::kPreserveMask;
using stages::kTrainingMask;

constexpr FieldSpec kCommon[] = {
    {.name = "requires_calibration_data", .accepts = boolean, .default_value = "by class",
     .doc = "Whether it is given data; true is sound everywhere, false where the class needs none."},
    {.name = "index", .accepts = whole, .default_value = "null", .nullable = true,
     .no_effect = "llm-compressor does not look at it", .doc = "Place of the modifier."},
    {.name = "start", .accepts = real, .default_value = "null", .nullable = true,
     .no_effect = "only training loops would send steps", .doc = "First step."},
    {.name = "end", .accepts = real, .default_value = "null", .nullable = true,
     .no_effect = "only training loops would send steps", .doc = "Last step."},
    {.name = "update", .accepts = real, .default_value = "null", .nullable = true,
     .no_effect = "only training loops would send steps", .doc = "Steps between updates."},
};

constexpr FieldSpec kGroups{
    .name = "config_groups", .accepts = named_records, .default_value = "null", .nullable = true,
    .record = &kQuantizationScheme, .doc = "Groups by name, each with its targets and the numbers for weights and activations."};
constexpr FieldSpec kTargets{
    .name = "targets", .accepts = text | texts, .default_value = "[Linear]",
    .doc = "Names, `re:` patterns or classes of the modules that a `scheme` given by its name is for."};
constexpr FieldSpec kIgnore{
    .name = "ignore", .accepts = texts, .default_value = "[]", .doc = "Names, `re:` patterns or classes of modules that are left out."};
constexpr FieldSpec kScheme{
    .name = "scheme", .accepts = text | mapping, .default_value = "null", .nullable = true,
    .doc = "Name of a preset, or a mapping from presets to their targets; `explain presets` lists them."};
constexpr FieldSpec kCache{
    .name = "kv_cache_scheme", .accepts = record, .default_value = "null", .nullable = true, .record = &kQuantizationArgs,
    .doc = "How the keys and values in the cache of attention are quantized."};
constexpr FieldSpec kWeightObserver{
    .name = "weight_observer", .accepts = text, .default_value = "null", .nullable = true, .doc = "Observer of the weights, in place of the scheme's."};
constexpr FieldSpec kInputObserver{
    .name = "input_observer", .accepts = text, .default_value = "null", .nullable = true, .doc = "Observer of inputs, in place of the scheme's."};
constexpr FieldSpec kOutputObserver{
    .name = "output_observer", .accepts = text, .default_value = "null", .nullable = true, .doc = "Observer of outputs, in place of the scheme's."};
constexpr FieldSpec kObserver{
    .name = "observer", .accepts = mapping, .default_value = "null", .nullable = true,
    .doc = "The same as a mapping with the keys `weights`, `input` and `output`."};
constexpr FieldSpec kBypass{
    .name = "bypass_divisibility_checks", .accepts = boolean, .default_value = "false",
    .doc = "Whether columns that groups do not divide are left to the calibration, which fails on them."};

constexpr FieldSpec kQuantization[] = {
    kGroups, kTargets, kIgnore, kScheme, kCache, kWeightObserver, kInputObserver, kOutputObserver, kObserver, kBypass};

constexpr FieldSpec kBlockSize{
    .name = "block_size", .accepts = whole, .default_value = "128", .doc = "Columns that are compressed at a time, above 0."};
constexpr FieldSpec kDampening{
    .name = "dampening_frac", .accepts = real, .default_value = "0.01", .nullable = true,
    .doc = "Share of the mean of the Hessian's diagonal that is added to it; null fails."};
constexpr FieldSpec kOffload{
    .name = "offload_hessians", .accepts = boolean, .default_value = "false", .doc = "Whether Hessians are kept in the memory of the CPU."};

constexpr FieldSpec kGptq[] = {
    kGroups, kTargets, kIgnore, kScheme, kCache, kWeightObserver, kInputObserver, kOutputObserver, kObserver, kBypass,
    kBlockSize, kDampening,
    {.name = "actorder", .accepts = text, .default_value = "static", .nullable = true,
     .doc = "Order of the columns: group (dynamic), weight (static) or null."},
    kOffload,
};

constexpr FieldSpec kAutoRound[] = {
    kGroups, kTargets, kIgnore, kScheme, kCache, kWeightObserver, kInputObserver, kOutputObserver, kObserver, kBypass,
    {.name = "iters", .accepts = whole, .default_value = "200", .doc = "Steps of the search for each block."},
    {.name = "enable_torch_compile", .accepts = boolean, .default_value = "true", .doc = "Whether blocks are compiled."},
    {.name = "batch_size", .accepts = whole, .default_value = "8", .doc = "Samples in a batch."},
    {.name = "lr", .accepts = real, .default_value = "null", .nullable = true, .doc = "Rate of the search; null: what AutoRound takes."},
    {.name = "device_ids", .accepts = text, .default_value = "null", .nullable = true, .doc = "Devices, as a text: \"0,1\"."},
    {.name = "disable_opt_rtn", .accepts = boolean, .default_value = "false", .doc = "Whether plain rounding is used where there are no steps."},
};

constexpr FieldSpec kSparsity{
    .name = "sparsity", .accepts = real | reals, .required = true, .nullable = true,
    .doc = "Share of weights to remove, at least 0 and below 1, or a list with one for each target."};
constexpr FieldSpec kProfile{
    .name = "sparsity_profile", .accepts = text, .default_value = "null", .nullable = true, .doc = "Only `owl`, which fails."};
constexpr FieldSpec kMask{
    .name = "mask_structure", .accepts = text, .default_value = "0:0",
    .doc = "\"N:M\" removes N of every M weights, \"0:0\" removes weights anywhere. In quotes."};
constexpr FieldSpec kSequential{
    .name = "sequential_update", .accepts = boolean, .default_value = "false", .nullable = true,
    .no_effect = "layers are always done one after the other", .doc = "Whether layers are done one after the other."};
constexpr FieldSpec kPrunedTargets{
    .name = "targets", .accepts = text | texts, .default_value = "[Linear]",
    .doc = "A list of names, `re:` patterns or classes; what is in these modules is pruned, and they themselves."};
constexpr FieldSpec kPrunedIgnore{
    .name = "ignore", .accepts = texts, .default_value = "[]",
    .doc = "Names or `re:` patterns of layers that are left out; the name of a target that is a layer has a dot at its end."};

constexpr FieldSpec kSparseGpt[] = {
    kSparsity, kProfile, kMask, kOwlM, kOwlLambda, kSequential, kPrunedTargets, kPrunedIgnore, kBlockSize, kDampening,
    kPreserveMask, kOffload,
};
constexpr FieldSpec kWanda[] = {kSparsity, kProfile, kMask, kOwlM, kOwlLambda, kSequential, kPrunedTargets, kPrunedIgnore};

constexpr FieldSpec kReap[] = {
    {.name = "sparsity", .accepts = real, .required = true, .doc = "Share of experts to remove, above 0 and below 1."},
    {.name = "ignore", .accepts = texts, .default_value = "[]", .doc = "Regular expressions, without `re:`, of blocks that are left out."},
    {.name = "report_path", .accepts = text, .default_value = "null", .nullable = true, .doc = "File for a report; ends in `.json`."},
};

constexpr FieldSpec kMaskTargets{
    .name = "targets", .accepts = text | texts, .required = true,
    .doc = "Names, `re:` patterns or classes of layers, or `__ALL_PRUNABLE__`."};
constexpr FieldSpec kConstant[] = {kMaskTargets};
constexpr FieldSpec kMagnitude[] = {
    kMaskTargets,
    kInitialSparsity,
    {.name = "final_sparsity", .accepts = real, .required = true, .doc = "Sparsity at the end."},
    {.name = "update_scheduler", .accepts = text, .default_value = "cubic",
     .doc = "linear, cubic, polynomial, polynomial_decay, multi_step or `calc(...)` around a Python expression."},
    {.name = "scheduler_args", .accepts = mapping, .default_value = "{}", .doc = "`exponent` of the polynomials, `steps` of multi_step."},
    kTrainingMask,
    {.name = "leave_enabled", .accepts = boolean, .default_value = "false", .doc = "Only false: true is set to false."},
    kGlobally,
};

constexpr std::string_view kAlgorithms[] = {"smoothquant", "log_equalization"};
constexpr FieldSpec kSmoothing[] = {
    {.name = "smoothing_strength", .accepts = real, .default_value = "0.5", .doc = "How much of the outliers goes to the weights, 0 to 1."},
    {.name = "mappings", .accepts = groups, .default_value = "null", .nullable = true,
     .doc = "Lists of the layers to balance and then the norm: [[[q, k, v], norm]]; null: by the model's class."},
    {.name = "ignore", .accepts = texts, .default_value = "null", .nullable = true,
     .doc = "Modules; a mapping is left out if all that it names are among them."},
    {.name = "num_calibration_steps", .accepts = whole, .default_value = "null", .nullable = true,
     .no_effect = "llm-compressor does not look at it", .doc = "Batches to calibrate on."},
    {.name = "calibration_function", .default_value = "null", .nullable = true, .doc = "A function of Python's; only null can be written."},
    {.name = "algorithm", .accepts = choice, .default_value = "smoothquant", .choices = kAlgorithms, .doc = "How the scales are computed."},
};

constexpr std::string_view kDuo[] = {"both"};
constexpr FieldSpec kAwq[] = {
    {.name = "mappings", .accepts = records, .default_value = "null", .nullable = true, .record = &kAwqMapping,
     .doc = "What is scaled by what; null: by the model's class."},
    {.name = "offload_device", .accepts = text, .default_value = "by model", .nullable = true,
     .doc = "Device that keeps activations: cpu, cuda ..., or null."},
    {.name = "duo_scaling", .accepts = boolean | choice, .default_value = "true", .choices = kDuo,
     .doc = "Whether weights count besides activations; both: tries either."},
    {.name = "n_grid", .accepts = whole, .default_value = "20", .doc = "Scales that are tried for each mapping."},
};

constexpr std::string_view kQuipRotations[] = {"v", "u"};
constexpr std::string_view kSpinRotations[] = {"R1", "R2", "R3", "R4"};
constexpr std::string_view kTransforms[] = {"hadamard", "random-hadamard", "random-matrix"};
constexpr FieldSpec kRandomize{
    .name = "randomize", .default_value = "false", .doc = "Only false: other values are not implemented."};
constexpr FieldSpec kLearnable{
    .name = "learnable", .default_value = "false", .doc = "Only false: other values are not implemented."};
constexpr FieldSpec kPrecision{
    .name = "precision", .accepts = text, .default_value = "torch.float64", .doc = "Type in which rotations are computed."};
constexpr FieldSpec kTransformBlock{
    .name = "transform_block_size", .accepts = whole, .default_value = "null", .nullable = true,
    .doc = "Width of the rotated blocks, which has to divide that of the layers; null: the whole width."};
const FieldSpec kTransform{
    .name = "transform_config", .accepts = record, .default_value = "null", .nullable = true, .record = &kTransformConfig,
    .doc = "The rotations in full, in place of all other fields."};

const FieldSpec kQuip[] = {
    {.name = "rotations", .accepts = choices, .default_value = "[v]", .choices = kQuipRotations, .any_case = true,
     .doc = "v rotates inputs, u outputs."},
    {.name = "transform_type", .accepts = choice, .default_value = "random-hadamard", .choices = kTransforms, .doc = "Kind of the rotation."},
    {.name = "targets", .accepts = text | texts, .default_value = "Linear", .doc = "Names, `re:` patterns or classes of layers."},
    {.name = "ignore", .accepts = text | texts, .default_value = "lm_head", .doc = "Names, `re:` patterns or classes that are left out."},
    kRandomize, kLearnable, kPrecision, kTransformBlock, kTransform,
};

const FieldSpec kSpinQuant[] = {
    {.name = "rotations", .accepts = choices, .default_value = "[R1, R2]", .choices = kSpinRotations, .any_case = true,
     .doc = "Which of the paper's rotations."},
    {.name = "transform_type", .accepts = choice, .default_value = "hadamard", .choices = kTransforms, .doc = "Kind of the rotation."},
    kRandomize, kLearnable, kPrecision, kTransformBlock,
    {.name = "mappings", .accepts = record, .default_value = "null", .nullable = true, .record = &kSpinQuantMapping,
     .no_effect = "it is inferred from the model in any case", .doc = "The parts of the model."},
    {.name = "norm_mappings", .accepts = records, .default_value = "null", .nullable = true, .record = &kNormMapping,
     .no_effect = "it is inferred from the model in any case", .doc = "Norms and the layers behind them."},
    kTransform,
};

constexpr std::uint8_t kind(Meaning meaning) { return static_cast<std::uint8_t>(meaning); }

const ModifierSpec kModifiers[] = {
    {"AWQModifier", kind(Meaning::awq), kAwq, "Scales layers so that important weights lose less; a quantization has to follow."},
    {"AutoRoundModifier", kind(Meaning::auto_round), kAutoRound, "Quantizes weights and learns for each whether to round up or down."},
    {"ConstantPruningModifier", kind(Meaning::constant_pruning), kConstant, "Keeps zeros in training; without effect in one shot."},
    {"GPTQModifier", kind(Meaning::gptq), kGptq, "Quantizes weights column by column and corrects the remaining ones."},
    {"LogarithmicEqualizationModifier", kind(Meaning::smoothing), kSmoothing,
     "The old name of SmoothQuantModifier with the algorithm log_equalization."},
    {"MagnitudePruningModifier", kind(Meaning::magnitude_pruning), kMagnitude,
     "Removes the smallest weights in training; without effect in one shot."},
    {"QuIPModifier", kind(Meaning::quip), kQuip, "Rotates inputs and outputs of layers before quantization."},
    {"QuantizationModifier", kind(Meaning::quantization), kQuantization, "Quantizes by rounding to the nearest number."},
    {"REAPPruningModifier", kind(Meaning::reap), kReap, "Removes experts that are seldom used."},
    {"SmoothQuantModifier", kind(Meaning::smoothing), kSmoothing, "Moves outliers from activations to weights."},
    {"SparseGPTModifier", kind(Meaning::sparse_gpt), kSparseGpt, "Prunes in one shot and corrects the remaining weights."},
    {"SpinQuantModifier", kind(Meaning::spin_quant), kSpinQuant, "Rotates a transformer as a whole before quantization."},
    {"WandaPruningModifier", kind(Meaning::wanda), kWanda, "Prunes in one shot by weights and activations."},
};

// clang-format on

// What fields are called in recipes of SparseML's and elsewhere.
constexpr stages::Renamed kRenamed[] = {
    {"start_epoch", "start"},        {"end_epoch", "end"},
    {"update_frequency", "update"},  {"params", "targets"},
    {"mask_type", "mask_structure"}, {"inter_func", "update_scheduler"},
    {"percdamp", "dampening_frac"},  {"alpha", "smoothing_strength"},
    {"act_order", "actorder"},       {"desc_act", "actorder"},
    {"blocksize", "block_size"},
};

const stages::Table& table() {
  static const stages::Table kTable{"llm-compressor",
                                    kModifiers,
                                    kCommon,
                                    kRenamed,
                                    "`sparsecfg explain` lists the modifiers that there are",
                                    "llm-compressor refuses fields that a class does not have",
                                    report_field_of_release};
  return kTable;
}

std::span<const FieldSpec> quantization_fields() { return kQuantization; }

}  // namespace sparsecfg::dialect::llmcompressor
