#include "dialect/llmcompressor/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/foreign_fields.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/record/conditions.h"
#include "dialect/record/related.h"
#include "dialect/record/types.h"
#include "dialect/schemes/presets.h"
#include "dialect/schemes/records.h"
#include "dialect/stages/table.h"

namespace sparsecfg::dialect::llmcompressor {

// One line per field if possible.
// clang-format off
using enum Type;
using stages::kGlobally;
using stages::kInitialSparsity;
using stages::kOwlLambda;
using stages::kOwlM;
using stages::kPreserveMask;
using stages::kTrainingMask;
using source::Value;

// Conditions on values of valid fields.
namespace is {

using namespace dialect::is;

static bool converted_to_true(const Value& value) { return as_boolean(value).value_or(false); }

static bool outside_0_to_1(const Value& value) {
  const auto number = as_real(value);
  return number && !(*number >= 0 && *number <= 1);
}

static bool no_fraction_below_1(const Value& value) {
  const auto number = as_real(value);
  return number && !(*number >= 0 && *number < 1);
}

static bool no_json_path(const Value& value) {
  const auto* text = value.get<std::string>();
  return text != nullptr && !text->ends_with(".json");
}

static bool a_step(const Value& value) {
  const auto step = as_real(value);
  return step && *step != -1 && *step != 0;
}

}  // namespace is

constexpr FieldSpec kCalibration{
    .name = "requires_calibration_data", .type = boolean, .default_value = "by class", .since = Release::v0_13,
    .doc = "Provide data to the modifier; true always works, false only if the class needs no data."};
constexpr FieldSpec kIndex{
    .name = "index", .type = whole, .default_value = "null", .nullable = true,
    .no_effect = "llm-compressor ignores it", .doc = "Position of the modifier."};
constexpr FieldSpec kUpdate{
    .name = "update", .type = real, .default_value = "null", .nullable = true,
    .no_effect = "only a training loop has steps", .doc = "Steps between updates."};

constexpr FieldSpec kCommon[] = {
    kCalibration, kIndex,
    {.name = "start", .type = real, .default_value = "null", .nullable = true,
     .no_effect = "only a training loop has steps", .doc = "First step."},
    {.name = "end", .type = real, .default_value = "null", .nullable = true,
     .no_effect = "only a training loop has steps", .doc = "Last step."},
    kUpdate,
};

// The common fields of smoothing.
DIAGNOSTIC(LC109, stops_the_run, error, (Text, Text, Text), "`{}` of a one-shot modifier must be -1",
           "SmoothQuantModifier and LogarithmicEqualizationModifier run once and have no steps. They raise a "
           "ValueError when the run starts if `start` or `end` is neither null, 0 nor -1.",
           "delete `{0}`")

constexpr Unsupported kSteps[] = {{is::a_step, diag::stops_the_run, true}};
constexpr FieldSpec kCommonOfSmoothing[] = {
    kCalibration, kIndex,
    {.name = "start", .type = real, .default_value = "null", .nullable = true,
     .no_effect = "only a training loop has steps", .unsupported = kSteps, .doc = "First step."},
    {.name = "end", .type = real, .default_value = "null", .nullable = true,
     .no_effect = "only a training loop has steps", .unsupported = kSteps, .doc = "Last step."},
    kUpdate,
};

constexpr std::string_view kUsualTypes[] = {"Linear"};
constexpr std::string_view kUsualHeads[] = {"lm_head"};
constexpr std::string_view kMaskPatterns[] = {"0:0", "2:4"};
constexpr std::string_view kTrainingTargets[] = {"__ALL_PRUNABLE__"};
constexpr std::string_view kSparsityProfiles[] = {"owl"};
constexpr std::string_view kOffloadDevices[] = {"cpu", "cuda"};
constexpr std::string_view kRotationTypes[] = {"torch.float64", "torch.float32", "torch.bfloat16"};

constexpr FieldSpec kGroups{
    .name = "config_groups", .type = named_records, .default_value = "null", .record = &kQuantizationScheme, .nullable = true,
    .conflict = "scheme", .doc = "Groups by name, each with targets and the quantization of weights and activations."};
constexpr FieldSpec kTargets{
    .name = "targets", .type = text | texts, .default_value = "[Linear]", .suggested = kUsualTypes,
    .doc = "Names, `re:` patterns or classes of the modules for a preset `scheme`."};
constexpr FieldSpec kIgnore{
    .name = "ignore", .type = texts, .default_value = "[]", .suggested = kUsualHeads,
    .doc = "Names, `re:` patterns or classes of modules to skip."};
constexpr FieldSpec kScheme{
    .name = "scheme", .type = text | mapping, .default_value = "null", .suggested = schemes::kPresetNames, .nullable = true,
    .doc = "Name of a preset, or a mapping from presets to their targets; `explain presets` lists them."};
constexpr FieldSpec kCache{
    .name = "kv_cache_scheme", .type = record, .default_value = "null", .record = &kQuantizationArgs, .nullable = true,
    .since = Release::v0_2, .doc = "Quantization of the keys and values in the attention cache."};
constexpr FieldSpec kCacheOfGptq{
    .name = "kv_cache_scheme", .type = record, .default_value = "null", .record = &kQuantizationArgs, .nullable = true,
    .since = Release::v0_5_2, .doc = "Quantization of the keys and values in the attention cache."};
constexpr FieldSpec kWeightObserver{
    .name = "weight_observer", .type = text, .default_value = "null", .suggested = schemes::kObservers, .nullable = true,
    .conflict = "observer", .since = Release::v0_9, .doc = "Observer of the weights; replaces that of the scheme."};
constexpr FieldSpec kInputObserver{
    .name = "input_observer", .type = text, .default_value = "null", .suggested = schemes::kObservers, .nullable = true,
    .conflict = "observer", .since = Release::v0_9, .doc = "Observer of the inputs; replaces that of the scheme."};
constexpr FieldSpec kOutputObserver{
    .name = "output_observer", .type = text, .default_value = "null", .suggested = schemes::kObservers, .nullable = true,
    .conflict = "observer", .since = Release::v0_9, .doc = "Observer of the outputs; replaces that of the scheme."};
constexpr FieldSpec kObserver{
    .name = "observer", .type = mapping, .default_value = "null", .nullable = true, .since = Release::v0_9,
    .doc = "Observers as a mapping with the keys `weights`, `input` and `output`."};
constexpr FieldSpec kBypass{
    .name = "bypass_divisibility_checks", .type = boolean, .default_value = "false", .since = Release::v0_10,
    .doc = "Skip the check that groups divide the columns; calibration then fails on such layers."};

constexpr FieldSpec kQuantization[] = {
    kGroups, kTargets, kIgnore, kScheme, kCache, kWeightObserver, kInputObserver, kOutputObserver, kObserver, kBypass};

DIAGNOSTIC(LC118, zero_block_size, error, (Text, Text, Text), "a `block_size` of 0 fails in calibration",
           "The class compresses this number of columns at a time, and Python's `range` raises a ValueError for a step "
           "of 0. The error occurs only after the model is loaded and the first layers are calibrated.",
           "write `block_size: 128`")

DIAGNOSTIC(LC119, negative_block_size, warning, (Text, Text, Text), "a negative `block_size` compresses no columns",
           "The class loops over the columns in steps of this size. If it is negative, the loop ends at once, and all "
           "weights keep their values.",
           "write `block_size: 128`")

constexpr Unsupported kBlockSizes[] = {{is::zero, diag::zero_block_size}, {is::negative, diag::negative_block_size}};
constexpr FieldSpec kBlockSize{
    .name = "block_size", .type = whole, .default_value = "128", .unsupported = kBlockSizes,
    .doc = "Columns that are compressed at a time; above 0."};
DIAGNOSTIC(LC120, null_dampening, error, (Text, Text, Text), "a `dampening_frac` of null fails in calibration",
           "The class multiplies the mean of the Hessian diagonal by this number. The field accepts null, but the "
           "product raises a TypeError during calibration.",
           "delete `dampening_frac`, or write a number such as 0.01")

DIAGNOSTIC(LC129, dampening_range, warning, (Text, Text, Text), "`{0}` {2} is not from 0 to below 1",
           "The fraction of the mean Hessian diagonal is not checked. With a negative fraction, the Hessian often can't "
           "be inverted, and GPTQ rounds to the nearest value instead. 1 is not 1 %, but the whole mean, which outweighs "
           "the data of calibration.",
           "write `{0}: 0.01`, the default: 1 % of the mean")

constexpr Unsupported kNoDampening[] = {{is::null, diag::null_dampening, true}, {is::no_fraction_below_1, diag::dampening_range}};
constexpr FieldSpec kDampening{
    .name = "dampening_frac", .type = real, .default_value = "0.01", .nullable = true, .unsupported = kNoDampening,
    .doc = "Fraction of the mean Hessian diagonal that is added to the diagonal, from 0 to below 1; null fails."};
constexpr FieldSpec kOffloadOfPruner{
    .name = "offload_hessians", .type = boolean, .default_value = "false", .since = Release::v0_4_1,
    .removed = Removal{Release::v0_14, "delete it; Hessians are no longer offloaded by a field of the modifier", is::anything},
    .doc = "Keep Hessians in CPU memory."};
constexpr FieldSpec kOffload{
    .name = "offload_hessians", .type = boolean, .default_value = "false", .since = Release::v0_4_0,
    .removed = Removal{Release::v0_14, "delete it; Hessians are no longer offloaded by a field of the modifier", is::anything},
    .doc = "Keep Hessians in CPU memory."};

// Removed fields.
constexpr Removal kArgument{Release::v0_11, "delete it; pass `sequential_targets` to `oneshot` instead"};
constexpr Removal kSamples{Release::v0_5_2, "delete it; pass `num_calibration_samples` to `oneshot` instead"};
constexpr Removal kObserving{Release::v0_5_2, "delete it; one-shot runs have no epochs", is::anything};
constexpr Removal kInGroups{Release::v0_5_2, "write it in `config_groups` of a QuantizationModifier that follows"};
constexpr FieldSpec kSequentialTargets{.name = "sequential_targets", .removed = kArgument};
constexpr FieldSpec kSequentialTargetsOfPruner{
    .name = "sequential_targets", .since = Release::v0_4_1, .removed = kArgument};
constexpr FieldSpec kSequentialTargetsOfAwq{
    .name = "sequential_targets", .since = Release::v0_5_2, .removed = kArgument};
constexpr FieldSpec kCalibrationSteps{.name = "num_calibration_steps", .removed = kSamples};
constexpr FieldSpec kObserverEpoch{.name = "disable_quantization_observer_epoch", .removed = kObserving};

// Fields that stored the model of a run.
constexpr std::string_view kOfRun = "delete it; pass `model` to `oneshot` instead";
constexpr FieldSpec kModelOfPruner{.name = "model", .removed = Removal{Release::v0_4_1, kOfRun}};
constexpr FieldSpec kModelOfGptq{.name = "model", .removed = Removal{Release::v0_4_0, kOfRun}};

constexpr FieldSpec kFormerQuantization[] = {kObserverEpoch, kCalibrationSteps};
constexpr FieldSpec kFormerGptq[] = {
    kObserverEpoch, kCalibrationSteps, kSequentialTargets, kModelOfGptq,
    {.name = "quantize",
     .removed = Removal{Release::v0_5_2, "delete it; `scheme` or `config_groups` replace it", is::converted_to_true}},
    {.name = "sequential_update",
     .removed = Removal{Release::v0_8, "delete it; layers are always processed sequentially", is::anything}},
};
constexpr FieldSpec kFormerAutoRound[] = {kSequentialTargets};
constexpr FieldSpec kFormerWanda[] = {kSequentialTargetsOfPruner, kModelOfPruner};
constexpr FieldSpec kFormerSparseGpt[] = {
    kSequentialTargetsOfPruner, kModelOfPruner,
    {.name = "quantize",
     .removed = Removal{Release::v0_1, "delete it, and add a GPTQModifier after this modifier to quantize"}},
};

// The fields of AWQModifier until it became a transform.
constexpr Removal kMoved{Release::v0_11, "move them to a `QuantizationModifier` that follows it in the group", nullptr, true};
constexpr FieldSpec kFormerAwq[] = {
    {.name = "scheme", .since = Release::v0_5_2, .removed = kMoved},
    {.name = "config_groups", .since = Release::v0_5_2, .removed = kMoved},
    {.name = "targets", .since = Release::v0_5_2, .removed = kMoved},
    {.name = "ignore", .removed = kMoved},
    {.name = "kv_cache_scheme", .since = Release::v0_5_2, .removed = kMoved},
    {.name = "weight_observer", .since = Release::v0_9, .removed = kMoved},
    {.name = "input_observer", .since = Release::v0_9, .removed = kMoved},
    {.name = "output_observer", .since = Release::v0_9, .removed = kMoved},
    {.name = "observer", .since = Release::v0_9, .removed = kMoved},
    {.name = "bypass_divisibility_checks", .since = Release::v0_10, .removed = kMoved},
    {.name = "group_size", .removed = kInGroups},
    {.name = "num_bits", .removed = kInGroups},
    {.name = "symmetric", .removed = kInGroups},
    {.name = "max_chunk_memory", .removed = Removal{Release::v0_6, "delete it; it has no replacement", is::anything}},
    kSequentialTargetsOfAwq,
};

constexpr FieldSpec kGptq[] = {
    kGroups, kTargets, kIgnore, kScheme, kCacheOfGptq, kWeightObserver, kInputObserver, kOutputObserver, kObserver, kBypass,
    kBlockSize, kDampening,
    {.name = "actorder", .type = text, .default_value = "static", .suggested = schemes::kColumnOrders, .nullable = true,
     .since = Release::v0_5_2, .doc = "Order of the columns: group (dynamic), weight (static) or null."},
    kOffload,
};

constexpr FieldSpec kAutoRound[] = {
    kGroups, kTargets, kIgnore, kScheme, kCache, kWeightObserver, kInputObserver, kOutputObserver, kObserver, kBypass,
    {.name = "iters", .type = whole, .default_value = "200", .doc = "Search steps per block."},
    {.name = "enable_torch_compile", .type = boolean, .default_value = "true", .doc = "Compile blocks with torch.compile."},
    {.name = "batch_size", .type = whole, .default_value = "8", .doc = "Samples per batch."},
    {.name = "lr", .type = real, .default_value = "null", .nullable = true, .since = Release::v0_10, .doc = "Learning rate of the search; null: the default of AutoRound."},
    {.name = "device_ids", .type = text, .default_value = "null", .nullable = true, .since = Release::v0_10, .doc = "Devices as a string: \"0,1\"."},
    {.name = "disable_opt_rtn", .type = boolean, .default_value = "false", .since = Release::v0_11, .doc = "Use plain rounding if there are no search steps."},
};

constexpr FieldSpec kSparsity{
    .name = "sparsity", .type = real | reals, .required = true, .nullable = true,
    .doc = "Fraction of weights to remove, at least 0 and below 1, or a list with one per target."};
constexpr FieldSpec kProfile{
    .name = "sparsity_profile", .type = text, .default_value = "null", .suggested = kSparsityProfiles, .nullable = true, .doc = "Only `owl` exists, and it fails."};
constexpr FieldSpec kMask{
    .name = "mask_structure", .type = text, .default_value = "0:0", .suggested = kMaskPatterns,
    .doc = "\"N:M\" removes N of every M weights; \"0:0\" is unstructured. Must be quoted."};
constexpr FieldSpec kSequential{
    .name = "sequential_update", .default_value = "false", .nullable = true,
    .no_effect = "layers are always processed sequentially", .doc = "Process layers sequentially."};
constexpr FieldSpec kPrunedTargets{
    .name = "targets", .type = text | texts, .default_value = "[Linear]", .suggested = kUsualTypes,
    .doc = "Names, `re:` patterns or classes of modules; these modules and their children are pruned."};
constexpr FieldSpec kPrunedIgnore{
    .name = "ignore", .type = texts, .default_value = "[]", .since = Release::v0_4_1,
    .doc = "Names or `re:` patterns of layers to skip; append a dot to the name of a layer that is itself a target."};

constexpr FieldSpec kSparseGpt[] = {
    kSparsity, kProfile, kMask, kOwlM, kOwlLambda, kSequential, kPrunedTargets, kPrunedIgnore, kBlockSize, kDampening,
    kPreserveMask, kOffloadOfPruner,
};
constexpr FieldSpec kWanda[] = {kSparsity, kProfile, kMask, kOwlM, kOwlLambda, kSequential, kPrunedTargets, kPrunedIgnore};

DIAGNOSTIC(LC317, report_path_suffix, error, (Text, Text, Text), "`report_path` must end in `.json`",
           "REAPPruningModifier writes its report as JSON and rejects a file of another name when the recipe is loaded.",
           "write `report_path: reap.json`")

constexpr Unsupported kReportPaths[] = {{is::no_json_path, diag::report_path_suffix}};
constexpr FieldSpec kReap[] = {
    {.name = "sparsity", .type = real, .required = true, .doc = "Fraction of experts to remove, above 0 and below 1."},
    {.name = "ignore", .type = texts, .default_value = "[]", .doc = "Regular expressions (without `re:`) of blocks to skip."},
    {.name = "report_path", .type = text, .default_value = "null", .nullable = true, .unsupported = kReportPaths,
     .since = Release::main, .doc = "File for a report; must end in `.json`."},
};

constexpr FieldSpec kMaskTargets{
    .name = "targets", .type = text | texts, .required = true, .suggested = kTrainingTargets,
    .doc = "Names, `re:` patterns or classes of layers, or `__ALL_PRUNABLE__`."};
constexpr FieldSpec kConstant[] = {kMaskTargets};
constexpr FieldSpec kMagnitude[] = {
    kMaskTargets,
    kInitialSparsity,
    {.name = "final_sparsity", .type = real, .required = true, .doc = "Sparsity at the end."},
    {.name = "update_scheduler", .type = text, .default_value = "cubic", .suggested = stages::kUpdateSchedulers,
     .doc = "linear, cubic, polynomial, polynomial_decay, multi_step or `calc(...)` around a Python expression."},
    {.name = "scheduler_args", .type = mapping, .default_value = "{}", .doc = "`exponent` for the polynomials, `steps` for multi_step."},
    kTrainingMask,
    {.name = "leave_enabled", .type = boolean, .default_value = "false", .doc = "Only false is supported; true is replaced by false."},
    kGlobally,
};

constexpr std::string_view kAlgorithms[] = {"smoothquant", "log_equalization"};
DIAGNOSTIC(LC418, function_in_recipe, error, (Text, Text, Text),
           "`calibration_function` must be a Python function, which a recipe can't contain",
           "The class accepts only a function or null for this field. No YAML value is a function, so the recipe is "
           "rejected when it is loaded.",
           "delete `calibration_function`")

constexpr Unsupported kFunctions[] = {{is::given, diag::function_in_recipe, true}};

DIAGNOSTIC(LC407, strength_range, warning, (Text, Text, Text), "`{0}` {2} is outside 0 to 1",
           "The strength is an exponent and is not checked. 0 moves nothing to the weights, and 1 moves everything.",
           "write a number from 0.5 to 0.9")

constexpr Unsupported kStrengths[] = {{is::outside_0_to_1, diag::strength_range}};
constexpr FieldSpec kSmoothing[] = {
    {.name = "smoothing_strength", .type = real, .default_value = "0.5", .unsupported = kStrengths,
     .doc = "Fraction of the outliers that is moved to the weights, 0 to 1."},
    {.name = "mappings", .type = groups, .default_value = "null", .nullable = true,
     .doc = "Mappings [[layers to balance], norm], such as [[[q, k, v], norm]]; null: by model class."},
    {.name = "ignore", .type = texts, .default_value = "null", .nullable = true,
     .doc = "Modules to skip; a mapping is skipped if all its modules are listed."},
    {.name = "num_calibration_steps", .type = whole, .default_value = "null", .nullable = true,
     .no_effect = "llm-compressor ignores it", .doc = "Batches to calibrate on."},
    {.name = "calibration_function", .default_value = "null", .nullable = true, .unsupported = kFunctions, .doc = "A Python function; a recipe can only contain null."},
    {.name = "algorithm", .type = choice, .default_value = "smoothquant", .choices = kAlgorithms, .since = Release::v0_11,
     .doc = "Algorithm that computes the scales."},
};

constexpr std::string_view kDuo[] = {"both"};
constexpr FieldSpec kAwq[] = {
    {.name = "mappings", .type = records, .default_value = "null", .record = &kAwqMapping, .nullable = true,
     .doc = "Scaled modules and their layers to balance; null: by model class."},
    {.name = "offload_device", .type = text, .default_value = "by model", .suggested = kOffloadDevices, .nullable = true,
     .since = Release::v0_5_2,
     .doc = "Device for cached activations: cpu, cuda ..., or null."},
    {.name = "duo_scaling", .type = boolean | choice, .default_value = "true", .choices = kDuo,
     .doc = "Also use the weights to compute scales; both: try with and without."},
    {.name = "n_grid", .type = whole, .default_value = "20", .since = Release::v0_9, .doc = "Number of scales to try for each mapping."},
};

constexpr std::string_view kQuipRotations[] = {"v", "u"};
constexpr std::string_view kSpinRotations[] = {"R1", "R2", "R3", "R4"};
DIAGNOSTIC(LC419, option_not_implemented, error, (Text, Text, Text), "`{}` is not implemented",
           "QuIPModifier and SpinQuantModifier raise a NotImplementedError if the value is true in Python. That "
           "includes every nonempty string, also `'false'`.",
           "delete `{0}`")

constexpr Unsupported kNotImplemented[] = {{is::true_in_python, diag::option_not_implemented, true}};
constexpr FieldSpec kRandomize{
    .name = "randomize", .type = boolean, .default_value = "false", .unsupported = kNotImplemented,
    .doc = "Only false is implemented."};
constexpr FieldSpec kLearnable{
    .name = "learnable", .type = boolean, .default_value = "false", .unsupported = kNotImplemented,
    .doc = "Only false is implemented."};
constexpr FieldSpec kPrecision{
    .name = "precision", .type = text, .default_value = "torch.float64", .suggested = kRotationTypes, .doc = "Dtype of the computation of rotations."};
constexpr FieldSpec kTransformBlock{
    .name = "transform_block_size", .type = whole, .default_value = "null", .nullable = true,
    .since = Release::v0_8,
    .doc = "Width of the rotated blocks; must divide the width of the layers; null: the whole width."};
const FieldSpec kTransform{
    .name = "transform_config", .type = record, .default_value = "null", .record = &kTransformConfig, .nullable = true,
     .doc = "Complete rotation config; replaces all other fields."};

const FieldSpec kQuip[] = {
    {.name = "rotations", .type = choices, .default_value = "[v]", .choices = kQuipRotations, .any_case = true,
     .since = Release::v0_8,
     .doc = "v rotates inputs, u rotates outputs."},
    {.name = "transform_type", .type = choice, .default_value = "random-hadamard", .choices = schemes::kRotations, .doc = "Rotation type."},
    {.name = "targets", .type = text | texts, .default_value = "Linear", .suggested = kUsualTypes, .doc = "Names, `re:` patterns or classes of layers."},
    {.name = "ignore", .type = text | texts, .default_value = "lm_head", .suggested = kUsualHeads, .doc = "Names, `re:` patterns or classes of layers to skip."},
    kRandomize, kLearnable, kPrecision, kTransformBlock, kTransform,
};

const FieldSpec kSpinQuant[] = {
    {.name = "rotations", .type = choices, .default_value = "[R1, R2]", .choices = kSpinRotations, .any_case = true,
     .doc = "Rotations to apply, as named in the SpinQuant paper."},
    {.name = "transform_type", .type = choice, .default_value = "hadamard", .choices = schemes::kRotations, .doc = "Rotation type."},
    kRandomize, kLearnable, kPrecision, kTransformBlock,
    {.name = "mappings", .type = record, .default_value = "null", .record = &kSpinQuantMapping, .nullable = true,
     .no_effect = "it is always inferred from the model", .doc = "The parts of the model."},
    {.name = "norm_mappings", .type = records, .default_value = "null", .record = &kNormMapping, .nullable = true,
     .no_effect = "it is always inferred from the model", .doc = "Norms and the layers after them."},
    kTransform,
};

constinit const ClassSpec kModifiers[] = {
    {.name = "AWQModifier", .kind = ClassKind::awq, .fields = kAwq,
     .doc = "Scales layers to protect important weights; must be followed by a quantization modifier.",
     .flags = kPrepares | kNeedsData, .common = kCommon, .former = kFormerAwq, .since = Release::v0_5_1},
    {.name = "AutoRoundModifier", .kind = ClassKind::auto_round, .fields = kAutoRound,
     .doc = "Quantizes weights and learns the rounding direction of each weight.",
     .flags = kNeedsData, .common = kCommon, .former = kFormerAutoRound, .since = Release::v0_9},
    {.name = "ConstantPruningModifier", .kind = ClassKind::constant_pruning, .fields = kConstant,
     .doc = "Keeps zeros in training; no effect in one-shot runs.",
     .flags = kMasksTraining, .common = kCommon},
    {.name = "GPTQModifier", .kind = ClassKind::gptq, .fields = kGptq,
     .doc = "Quantizes weights column by column and corrects the remaining columns.",
     .flags = kNeedsData, .common = kCommon, .former = kFormerGptq},
    {.name = "LogarithmicEqualizationModifier", .kind = ClassKind::smoothing, .fields = kSmoothing,
     .doc = "The old name of SmoothQuantModifier with the algorithm log_equalization.",
     .flags = kPrepares | kNeedsData, .common = kCommonOfSmoothing},
    {.name = "MagnitudePruningModifier", .kind = ClassKind::magnitude_pruning, .fields = kMagnitude,
     .doc = "Removes the smallest weights in training; no effect in one-shot runs.",
     .flags = kMasksTraining, .common = kCommon},
    {.name = "QuIPModifier", .kind = ClassKind::quip, .fields = kQuip,
     .doc = "Rotates inputs and outputs of layers before quantization.",
     .flags = kPrepares, .common = kCommon, .since = Release::v0_7},
    {.name = "QuantizationModifier", .kind = ClassKind::quantization, .fields = kQuantization,
     .doc = "Quantizes by rounding to nearest.",
     .common = kCommon, .former = kFormerQuantization},
    {.name = "REAPPruningModifier", .kind = ClassKind::reap, .fields = kReap,
     .doc = "Removes rarely used experts.",
     .flags = kNeedsData, .common = kCommon, .since = Release::v0_13},
    {.name = "SmoothQuantModifier", .kind = ClassKind::smoothing, .fields = kSmoothing,
     .doc = "Shifts outliers from activations to weights.",
     .flags = kPrepares | kNeedsData, .common = kCommonOfSmoothing},
    {.name = "SparseGPTModifier", .kind = ClassKind::sparse_gpt, .fields = kSparseGpt,
     .doc = "Prunes in one shot and corrects the remaining weights.",
     .flags = kNeedsData, .common = kCommon, .former = kFormerSparseGpt},
    {.name = "SpinQuantModifier", .kind = ClassKind::spin_quant, .fields = kSpinQuant,
     .doc = "Rotates a whole transformer before quantization.",
     .flags = kPrepares, .common = kCommon, .since = Release::v0_7},
    {.name = "WandaPruningModifier", .kind = ClassKind::wanda, .fields = kWanda,
     .doc = "Prunes in one shot by the magnitude of weights and activations.",
     .flags = kNeedsData, .common = kCommon, .former = kFormerWanda},
    {.name = kModelFreeName, .kind = ClassKind::model_free, .fields = kQuantization,
     .doc = "A function that rounds the weights of a checkpoint without loading the model. `Linear` selects every "
            "matrix whose module does not end in `norm`, and other entries are compared with names only.",
     .common = kCommon, .since = Release::v0_10},
};
constexpr std::size_t kFunctionRows = 1;  // at the end of kModifiers

// clang-format on

// Names of fields in SparseML and other frameworks.
constexpr stages::Renamed kRenamed[] = {
    {"start_epoch", "start"},        {"end_epoch", "end"},
    {"update_frequency", "update"},  {"params", "targets"},
    {"mask_type", "mask_structure"}, {"inter_func", "update_scheduler"},
    {"percdamp", "dampening_frac"},  {"act_order", "actorder"},
    {"blocksize", "block_size"},
};

// A name that users write as a field of a modifier, but that is an argument of a function in the script.
struct Misplaced {
  std::string_view name;
  std::string_view function;
};

// Arguments of `oneshot` or of the function that loads the model.

constexpr std::string_view kOfOneshot = "oneshot";
constexpr std::string_view kOfLoading = "from_pretrained";
constexpr std::string_view kOfTraining;

constexpr Misplaced kMisplaced[] = {
    {"batch_size", kOfOneshot},
    {"calibration_dataset", kOfOneshot},
    {"dataset", kOfOneshot},
    {"dataset_config_name", kOfOneshot},
    {"device_map", kOfLoading},
    {"epochs", kOfTraining},
    {"num_epochs", kOfTraining},
    {"num_train_epochs", kOfTraining},
    {"warmup_steps", kOfTraining},
    {"max_seq_length", kOfOneshot},
    {"max_seq_len", kOfOneshot},
    {"model", kOfOneshot},
    {"num_calibration_samples", kOfOneshot},
    {"nsamples", kOfOneshot},
    {"output_dir", kOfOneshot},
    {"pipeline", kOfOneshot},
    {"seqlen", kOfOneshot},
    {"sequential_targets", kOfOneshot},
    {"shuffle_calibration_samples", kOfOneshot},
    {"splits", kOfOneshot},
    {"tokenizer", kOfOneshot},
    {"torch_dtype", kOfLoading},
    {"trust_remote_code", kOfLoading},
};

// Names of other systems for arguments of `oneshot`.
constexpr stages::Renamed kOneshotNames[] = {
    {"calibration_dataset", "dataset"},
    {"max_seq_len", "max_seq_length"},
    {"nsamples", "num_calibration_samples"},
    {"seqlen", "max_seq_length"},
};

// Fields of SparseML for a training loop, which a one-shot modifier does not have.
constexpr std::string_view kOfSparsemlLoop[] = {"start_epoch",
                                                "end_epoch",
                                                "update_frequency",
                                                "disable_observer_epoch",
                                                "freeze_bn_stats_epoch",
                                                "leave_enabled",
                                                "model_fuse_fn_name",
                                                "model_fuse_fn_kwargs",
                                                "quantize_embeddings",
                                                "reduce_range",
                                                "exclude_batchnorm",
                                                "quantize_linear_activations",
                                                "quantize_conv_activations",
                                                "quantize_embedding_activations"};

// Reports the fields of a training loop once for a modifier. Modifiers that mask the weights in training have steps.
static bool report_loop_fields(const Context& context, const stages::Modifier& modifier, const Field& field) {
  const auto is_of_loop = [&](const Field& each) {
    return base::contains(kOfSparsemlLoop, std::string_view(each.name)) && modifier.spec->find(each.name) == nullptr;
  };
  if ((modifier.spec->flags & kMasksTraining) != 0) return false;
  return report_related(modifier.fields, field, is_of_loop, [&](const RelatedFields& fields) {
    std::vector<std::string> names;
    diag::Fix fix = diag::Fix::unsafe();
    for (const Field* each : fields) {
      names.push_back(fmt::format("`{}`", each->name));
      fix.remove(each->key);
    }
    auto& report =
        context.sink.report(diag::unknown_field, field.key, field.name, fmt::format("`{}`", modifier.spec->name));
    label_others(report, fields);
    report
        .with_help(fmt::format("delete {}: one-shot runs have no epochs; the fields belong to training with SparseML",
                               base::join_and(names)))
        .with_fix(std::move(fix));
  });
}

static bool report_foreign_field(const Context& context, const stages::Modifier& modifier, const Field& field) {
  if (report_field_of_release(context, modifier, field)) return true;
  if (report_format_fields(context, modifier, field) || report_group_fields(context, modifier, field)) return true;
  if (report_loop_fields(context, modifier, field)) return true;
  const auto found = std::ranges::find(kMisplaced, field.name, &Misplaced::name);
  if (found == std::end(kMisplaced)) return false;
  const auto renamed = std::ranges::find(kOneshotNames, field.name, &stages::Renamed::before);
  const std::string_view name = renamed == std::end(kOneshotNames) ? std::string_view(field.name) : renamed->now;
  if (found->function.empty()) {
    context.sink.report(diag::unknown_field, field.key, field.name, fmt::format("`{}`", modifier.spec->name))
        .with_help("delete the field: one-shot runs have no epochs and train no weights")
        .with_fix(diag::Fix::unsafe().remove(field.key));
    return true;
  }
  context.sink.report(diag::unknown_field, field.key, field.name, fmt::format("`{}`", modifier.spec->name))
      .with_help(fmt::format("delete the field, and pass `{}` to `{}` in the script", name, found->function))
      .with_fix(diag::Fix::unsafe().remove(field.key));
  return true;
}

constexpr ClassSpec kOpaque{.name = "opaque", .kind = ClassKind::opaque, .fields = {}, .open = true};
constexpr ClassSpec kFormer[] = {
    {.name = "OutputDistillationModifier",
     .kind = ClassKind::opaque,
     .fields = {},
     .open = true,
     .removed = Removal{Release::v0_9, "delete it; llm-compressor no longer trains"}},
};

// Returns the names that SparseML never had. `sequential_targets` was removed, and its first release is unknown.
static std::set<std::string_view> own_names() {
  std::set<std::string_view> own{"sequential_targets"};
  std::set<std::string_view> shared;
  const auto add = [&](std::string_view name, bool later) { (later ? own : shared).insert(name); };
  const auto add_fields = [&](std::span<const FieldSpec> fields) {
    for (const FieldSpec& field : fields) {
      add(field.name, field.since.has_value());
      for (const FieldSpec& inner : field.record == nullptr ? std::span<const FieldSpec>() : field.record->fields) {
        add(inner.name, false);
      }
    }
  };
  for (const ClassSpec& spec : kModifiers) {
    add(spec.name, spec.since.has_value());
    add_fields(spec.fields);
    add_fields(spec.common);
  }
  for (const FieldSpec& inner : kQuantizationArgs.fields) add(inner.name, false);
  std::erase_if(own, [&](std::string_view name) { return shared.contains(name); });
  return own;
}

bool is_own_name(std::string_view name) {
  static const std::set<std::string_view> kNames = own_names();
  return kNames.contains(name);
}

const FieldSpec* former_field(const ClassSpec& spec, std::string_view name) {
  const auto found = std::ranges::find(spec.former, name, &FieldSpec::name);
  return found == spec.former.end() ? nullptr : &*found;
}

bool is_moved_field(const ClassSpec& spec, std::string_view name) {
  const FieldSpec* former = former_field(spec, name);
  return former != nullptr && former->removed->moved;
}

bool is_former_format(const ClassSpec& spec, std::string_view name) {
  const FieldSpec* former = former_field(spec, name);
  return former != nullptr && former->removed->help == kInGroups.help;
}

static stages::Table table_with_help(
    std::string_view unknown_field_help,
    std::span<const ClassSpec> modifiers = std::span(kModifiers).first(std::size(kModifiers) - kFunctionRows)) {
  return {"llm-compressor",
          modifiers,
          kRenamed,
          "list all modifiers with `sparsecfg explain modifiers`",
          unknown_field_help,
          report_foreign_field,
          [](std::string_view name) { return table().find(name); },
          &kOpaque,
          kFormer};
}

const stages::Table& table() {
  static const stages::Table kTable = table_with_help("delete the field; llm-compressor rejects unknown fields");
  return kTable;
}

const stages::Table& table_of_scripts() {
  static const stages::Table kTable =
      table_with_help("delete the field; llm-compressor rejects unknown fields", kModifiers);
  return kTable;
}

const stages::Table& table(Release release) {
  static const stages::Table kBefore7 =
      table_with_help("delete the field; llm-compressor before 0.7 silently ignores unknown fields");
  return is_at_least(release, Release::v0_7) ? table() : kBefore7;
}

// One line per field if possible.
// clang-format off
using enum Type;

constexpr FieldSpec kAwqMappingFields[] = {
    {.name = "smooth_layer", .type = text, .required = true, .doc = "The module whose output is scaled."},
    {.name = "balance_layers", .type = texts, .required = true, .doc = "The following layers, which are scaled inversely."},
    {.name = "activation_hook_target", .type = text, .default_value = "null", .nullable = true,
     .doc = "The module at whose input activations are recorded."},
};
const ClassSpec kAwqMapping{.name = "AWQMapping", .fields = kAwqMappingFields, .doc = "A mapping of AWQModifier."};

constexpr FieldSpec kSpinQuantMappingFields[] = {
    {.name = "embedding", .type = text, .required = true, .doc = "The embedding."},
    {.name = "attn", .type = text, .required = true, .doc = "The attention modules."},
    {.name = "attn_q", .type = text, .required = true, .doc = "The query layers."},
    {.name = "attn_k", .type = text, .required = true, .doc = "The key layers."},
    {.name = "attn_v", .type = text, .required = true, .doc = "The value layers."},
    {.name = "attn_o", .type = text, .required = true, .doc = "The output layers of attention."},
    {.name = "attn_head_dim", .type = whole, .default_value = "null", .nullable = true, .doc = "Width of an attention head."},
    {.name = "mlp_in", .type = text | texts, .required = true, .doc = "The first layers of the feed-forward part."},
    {.name = "mlp_out", .type = text | texts, .required = true, .doc = "The last layers of the feed-forward part."},
    {.name = "lm_head", .type = text, .required = true, .doc = "The output head."},
};
const ClassSpec kSpinQuantMapping{.name = "SpinQuantMapping", .fields = kSpinQuantMappingFields, .open = true};

constexpr FieldSpec kNormMappingFields[] = {
    {.name = "norm", .type = text, .required = true, .doc = "The norm that is folded into the next layers."},
    {.name = "linears", .type = text | texts, .required = true, .doc = "The layers that the norm is folded into."},
};
const ClassSpec kNormMapping{.name = "NormMapping", .fields = kNormMappingFields, .open = true};

// clang-format on

}  // namespace sparsecfg::dialect::llmcompressor
