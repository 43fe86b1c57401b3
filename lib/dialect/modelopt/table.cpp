#include "dialect/modelopt/table.h"

#include <algorithm>

// docs/semantics/modelopt.md#b1
namespace sparsecfg::dialect::modelopt {

constexpr RecipeType kRecipeTypes[] = {{"ptq", "quantize", true},
                                       {"auto_quantize", "auto_quantize", true},
                                       {"speculative_eagle", "eagle", false},
                                       {"speculative_dflash", "dflash", false},
                                       {"speculative_medusa", "medusa", false}};

constexpr std::string_view kRecipeTypeNames[] = {"ptq", "auto_quantize", "speculative_eagle", "speculative_dflash",
                                                 "speculative_medusa"};

std::span<const RecipeType> recipe_types() { return kRecipeTypes; }

constexpr FieldSpec kMetadataFields[] = {
    {.name = "recipe_type",
     .type = Type::text,
     .required = true,
     .suggested = kRecipeTypeNames,
     .doc = "Kind of the recipe, such as `ptq` or `auto_quantize`."},
    {.name = "description", .type = Type::text, .default_value = "\"\"", .doc = "What the recipe is for."},
};

constinit const ClassSpec kMetadata{.name = "metadata", .fields = kMetadataFields, .doc = "Head of a recipe."};

constexpr FieldSpec kEntryFields[] = {
    {.name = "quantizer_name",
     .type = Type::text,
     .required = true,
     .doc = "Glob that is compared with the full names of quantizers, such as `*mlp*weight_quantizer`."},
    {.name = "parent_class",
     .type = Type::text,
     .default_value = "null",
     .nullable = true,
     .doc = "Class that contains the quantizer, such as `nn.Linear`. Other quantizers do not match."},
    {.name = "cfg",
     .type = Type::any,
     .default_value = "null",
     .nullable = true,
     .doc = "Attributes of the quantizer, or a list of them for quantizers in sequence. They replace all attributes."},
    {.name = "enable",
     .type = Type::boolean,
     .default_value = "true",
     .doc = "Turns the quantizer on or off. Only with `enable`, the entry keeps the attributes of the quantizer."},
};

constinit const ClassSpec kEntryClass{
    .name = "quant_cfg",
    .fields = kEntryFields,
    .doc = "Entry of the list `quant_cfg`. Entries apply in order, and the last one that matches a quantizer decides."};

constexpr std::string_view kStaticOrDynamic[] = {"static", "dynamic"};
constexpr std::string_view kPrecisions[] = {"Float", "Half", "BFloat16"};
constexpr std::string_view kRotateModes[] = {"rotate", "rotate_back"};
constexpr Bounds kBitsBounds{.min = 0, .max = 16, .min_excluded = true};
constexpr Bounds kPositive{.min = 0, .min_excluded = true};
constexpr Bounds kFraction{.min = 0, .max = 1, .min_excluded = true};
constexpr Bounds kBelowOne{.min = 0, .max = 1, .min_excluded = true, .max_excluded = true};
constexpr Bounds kHeadroomBounds{.min = 0, .max = 28672, .min_excluded = true, .max_excluded = true};
constexpr Bounds kPercent{.min = 0, .max = 100, .min_excluded = true};

constexpr FieldSpec kRotateFields[] = {
    {.name = "enable", .type = Type::boolean, .default_value = "false", .doc = "Rotates the tensor."},
    {.name = "mode",
     .type = Type::choice,
     .default_value = "rotate",
     .choices = kRotateModes,
     .doc = "`rotate_back` undoes the rotation after quantization."},
    {.name = "rotate_fp32", .type = Type::boolean, .default_value = "false", .doc = "Rotates in float32."},
    {.name = "block_size",
     .type = Type::whole,
     .default_value = "null",
     .bounds = kPositive,
     .nullable = true,
     .doc = "Size of the rotated blocks."},
};

constinit const ClassSpec kRotate{
    .name = "rotate", .fields = kRotateFields, .doc = "Rotation of a tensor before quantization."};

constexpr FieldSpec kAttributeFields[] = {
    {.name = "enable",
     .type = Type::boolean,
     .default_value = "true",
     .no_effect = "the `enable` of the entry replaces it",
     .doc = "Replaced by the `enable` of the entry, which is true by default."},
    {.name = "num_bits",
     .type = Type::any,
     .default_value = "8",
     .doc = "Bits of an integer, or exponent and mantissa bits of a float: `e4m3`, in Python `(4, 3)`."},
    {.name = "effective_bits",
     .type = Type::real,
     .default_value = "null",
     .bounds = kBitsBounds,
     .nullable = true,
     .doc = "Bits of an element including its scales, for the search of `auto_quantize`."},
    {.name = "axis",
     .type = Type::any,
     .default_value = "null",
     .nullable = true,
     .doc = "Axis with its own scales: 0 is per output channel. null is one scale. Not with `block_sizes`."},
    {.name = "fake_quant", .type = Type::boolean, .default_value = "true", .doc = "Simulates quantization."},
    {.name = "unsigned", .type = Type::boolean, .default_value = "false", .doc = "Integers without a sign."},
    {.name = "narrow_range", .type = Type::boolean, .default_value = "false", .doc = "Omits the smallest integer."},
    {.name = "learn_amax", .type = Type::boolean, .default_value = "false", .doc = "Removed. true is rejected."},
    {.name = "type",
     .type = Type::choice,
     .default_value = "static",
     .choices = kStaticOrDynamic,
     .doc = "`dynamic` computes the scales in each run."},
    {.name = "block_sizes",
     .type = Type::any_mapping,
     .default_value = "null",
     .nullable = true,
     .doc = "Sizes of blocks by axis, such as `{-1: 16, type: dynamic, scale_bits: e4m3}`."},
    {.name = "bias",
     .type = Type::any_mapping,
     .default_value = "null",
     .nullable = true,
     .doc = "Axes of an offset, with `type` and `method`."},
    {.name = "trt_high_precision_dtype",
     .type = Type::choice,
     .default_value = "Float",
     .choices = kPrecisions,
     .doc = "Type of the scales in an ONNX export."},
    {.name = "calibrator",
     .type = Type::any,
     .default_value = "max",
     .doc = "`max`, `histogram`, or a class with arguments."},
    {.name = "rotate",
     .type = Type::boolean | Type::record,
     .default_value = "false",
     .record = &kRotate,
     .doc = "Rotates the tensor before quantization."},
    {.name = "pass_through_bwd", .type = Type::boolean, .default_value = "true", .doc = "Straight-through gradients."},
    {.name = "backend",
     .type = Type::text,
     .default_value = "null",
     .nullable = true,
     .doc = "Registered quantization function. Only such a function accepts other values of `num_bits`."},
    {.name = "backend_extra_args",
     .type = Type::any_mapping,
     .default_value = "null",
     .nullable = true,
     .doc = "Arguments of `backend`."},
    {.name = "use_constant_amax",
     .type = Type::boolean,
     .default_value = "false",
     .doc = "Uses 448, the maximum of e4m3, without calibration."},
    {.name = "constant_amax",
     .type = Type::real,
     .default_value = "null",
     .bounds = kPositive,
     .nullable = true,
     .since = DialectEnum(Release::v0_46),
     .doc = "Uses this maximum without calibration. Not with `use_constant_amax`."},
};

constinit const ClassSpec kAttributesClass{
    .name = "cfg",
    .fields = kAttributeFields,
    .doc = "Attributes of a quantizer. They replace all earlier attributes: absent ones return to their defaults."};

constexpr FieldSpec kQuantizeFields[] = {
    {.name = "quant_cfg",
     .type = Type::any,
     .default_value = "[{quantizer_name: \"*\", cfg: {num_bits: 8}}]",
     .doc = "List of entries. Without it, every quantizer is turned on with 8-bit integers."},
    {.name = "algorithm",
     .type = Type::any,
     .default_value = "max",
     .nullable = true,
     .doc = "Calibration method, a mapping with `method` and its settings, or a list of them. Checked at calibration."},
    {.name = "effective_bits",
     .type = Type::real,
     .default_value = "null",
     .bounds = kBitsBounds,
     .nullable = true,
     .doc = "Bits of an element, for the search of `auto_quantize`."},
};

constinit const ClassSpec kQuantizeClass{
    .name = "quantize",
    .fields = kQuantizeFields,
    .doc = "Section of a recipe with `recipe_type: ptq`, and the dictionary that `mtq.quantize` accepts."};

constexpr std::string_view kCostModels[] = {"weight", "active_moe"};
constexpr FieldSpec kCostFields[] = {
    {.name = "active_moe_expert_ratio",
     .type = Type::real,
     .default_value = "null",
     .bounds = kFraction,
     .nullable = true,
     .doc = "Fraction of the experts that are active for a token."},
};

constinit const ClassSpec kCost{.name = "cost", .fields = kCostFields, .doc = "Settings of the cost model."};

constexpr FieldSpec kConstraintFields[] = {
    {.name = "effective_bits",
     .type = Type::real,
     .default_value = "4.8",
     .bounds = kBitsBounds,
     .doc = "Average bits of an element that the search must not exceed."},
    {.name = "cost_model",
     .type = Type::choice,
     .default_value = "weight",
     .choices = kCostModels,
     .doc = "What counts as cost: all weights, or the weights of active experts."},
    {.name = "cost",
     .type = Type::record,
     .default_value = "null",
     .record = &kCost,
     .nullable = true,
     .doc = "Settings of the cost model."},
};

constinit const ClassSpec kConstraints{
    .name = "constraints", .fields = kConstraintFields, .doc = "Limit of the search of `auto_quantize`."};

constexpr FieldSpec kSearchSpaceFields[] = {
    {.name = "module_name_patterns",
     .type = Type::texts,
     .required = true,
     .doc = "Globs that are compared with names of modules, not of quantizers."},
    {.name = "candidate_formats", .type = Type::list, .required = true, .doc = "Formats that these modules can get."},
    {.name = "allow_no_quant",
     .type = Type::boolean,
     .default_value = "true",
     .doc = "Allows the search to leave a module unquantized."},
};

constinit const ClassSpec kSearchSpace{.name = "module_search_spaces",
                                       .fields = kSearchSpaceFields,
                                       .doc = "Modules with their own candidates in the search of `auto_quantize`."};

constexpr std::string_view kSearchMethods[] = {"gradient", "kl_div"};
constexpr FieldSpec kAutoQuantizeFields[] = {
    {.name = "constraints",
     .type = Type::record,
     .required = true,
     .record = &kConstraints,
     .doc = "Limit of the search."},
    {.name = "candidate_formats",
     .type = Type::list,
     .default_value = "[]",
     .doc = "Formats from which the search chooses for each module."},
    {.name = "module_search_spaces",
     .type = Type::records,
     .default_value = "[]",
     .record = &kSearchSpace,
     .doc = "Modules with their own candidates."},
    {.name = "auto_quantize_method",
     .type = Type::choice,
     .default_value = "gradient",
     .choices = kSearchMethods,
     .doc = "How the search measures sensitivity."},
    {.name = "score_size", .type = Type::whole, .default_value = "128", .doc = "Samples that measure sensitivity."},
    {.name = "disabled_layers",
     .type = Type::texts,
     .default_value = "[]",
     .doc = "Globs over names of modules that the search leaves unquantized."},
    {.name = "cost_excluded_layers",
     .type = Type::texts,
     .default_value = "[]",
     .doc = "Globs over names of modules that do not count as cost."},
    {.name = "kv_cache",
     .type = Type::any,
     .default_value = "null",
     .nullable = true,
     .doc = "Format of the attention cache."},
};

constinit const ClassSpec kAutoQuantize{.name = "auto_quantize",
                                        .fields = kAutoQuantizeFields,
                                        .doc = "Section of a recipe that searches a format for each module.",
                                        .since = DialectEnum(Release::v0_46)};

// --- algorithms -------------------------------------------------------------------------------------

constexpr FieldSpec kLayerwiseFields[] = {
    {.name = "enable", .type = Type::boolean, .default_value = "false", .doc = "Calibrates layer by layer."},
    {.name = "get_qdq_activations_from_prev_layer",
     .type = Type::boolean,
     .default_value = "true",
     .doc = "Passes quantized activations to the next layer."},
    {.name = "checkpoint_dir",
     .type = Type::text,
     .default_value = "null",
     .nullable = true,
     .doc = "Folder for intermediate results. Requires `enable`."},
    {.name = "save_every",
     .type = Type::whole,
     .default_value = "1",
     .bounds = kPositive,
     .doc = "Layers between them."},
    {.name = "calib_mutates_weights",
     .type = Type::boolean,
     .default_value = "true",
     .doc = "Stores changed weights of each layer."},
};

constinit const ClassSpec kLayerwise{
    .name = "layerwise", .fields = kLayerwiseFields, .doc = "Calibration layer by layer. A boolean before 0.47."};

// Accepted by every algorithm.
constexpr FieldSpec kAlgorithmFields[] = {
    {.name = "method", .type = Type::text, .required = true, .doc = "Name of the algorithm."},
    {.name = "moe_calib_experts_ratio",
     .type = Type::real,
     .default_value = "null",
     .bounds = kFraction,
     .nullable = true,
     .doc = "Fraction of the experts that each token of the calibration reaches."},
    {.name = "layerwise",
     .type = Type::record | Type::boolean,
     .default_value = "{}",
     .record = &kLayerwise,
     .doc = "Calibrates layer by layer."},
};

constexpr FieldSpec kSharedStates{.name = "shared_states",
                                  .type = Type::any_mapping,
                                  .default_value = "null",
                                  .nullable = true,
                                  .doc = "Quantizers that share a maximum."};
constexpr FieldSpec kDistributed{.name = "distributed_sync",
                                 .type = Type::boolean,
                                 .default_value = "true",
                                 .nullable = true,
                                 .doc = "Shares maxima between processes."};
constexpr FieldSpec kStepSize{.name = "step_size",
                              .type = Type::real,
                              .default_value = "0.1",
                              .bounds = kPositive,
                              .nullable = true,
                              .doc = "Distance of the tested multipliers."};
constexpr FieldSpec kStartMultiplier{.name = "start_multiplier",
                                     .type = Type::real,
                                     .default_value = "0.25",
                                     .bounds = kPositive,
                                     .nullable = true,
                                     .doc = "Smallest tested multiplier."};
constexpr FieldSpec kStopMultiplier{.name = "stop_multiplier",
                                    .type = Type::real,
                                    .default_value = "4.0",
                                    .bounds = kPositive,
                                    .nullable = true,
                                    .doc = "Largest tested multiplier."};
constexpr FieldSpec kScaleSweep{.name = "fp8_scale_sweep",
                                .type = Type::boolean,
                                .default_value = "false",
                                .nullable = true,
                                .doc = "Tests all e4m3 scales of NVFP4 blocks."};
constexpr FieldSpec kDebug{
    .name = "debug", .type = Type::boolean, .default_value = "false", .nullable = true, .doc = "Keeps statistics."};
constexpr FieldSpec kAlphaStep{.name = "alpha_step",
                               .type = Type::real,
                               .default_value = "0.1",
                               .bounds = kFraction,
                               .nullable = true,
                               .doc = "Distance of the tested exponents."};

constexpr FieldSpec kMaxFields[] = {
    kSharedStates,
    kDistributed,
    {.name = "sync_expert_weight_amax",
     .type = Type::boolean,
     .default_value = "false",
     .doc = "One maximum for all experts."},
    {.name = "skip_forward_without_activation_calib",
     .type = Type::boolean,
     .default_value = "false",
     .doc = "Skips the calibration data if no activation needs it."},
};
constexpr FieldSpec kMseFields[] = {kSharedStates,    kDistributed,    kStepSize,
                                    kStartMultiplier, kStopMultiplier, kScaleSweep};
constexpr FieldSpec kHessianFields[] = {
    kSharedStates,
    kDistributed,
    kStepSize,
    kStartMultiplier,
    kStopMultiplier,
    kScaleSweep,
    kDebug,
    {.name = "block_size",
     .type = Type::whole,
     .default_value = "16",
     .bounds = kPositive,
     .doc = "Size of the blocks."},
};
constexpr FieldSpec kSmoothQuantFields[] = {
    {.name = "alpha",
     .type = Type::real,
     .default_value = "1.0",
     .bounds = {.min = 0, .max = 1},
     .nullable = true,
     .doc = "Part of the range that moves from activations to weights."},
};
constexpr FieldSpec kAwqLiteFields[] = {kAlphaStep, kDebug};
constexpr FieldSpec kMaxBatch{.name = "max_co_batch_size",
                              .type = Type::whole,
                              .default_value = "1024",
                              .nullable = true,
                              .doc = "Output channels that are searched together."};
constexpr FieldSpec kMaxTokens{.name = "max_tokens_per_batch",
                               .type = Type::whole,
                               .default_value = "64",
                               .nullable = true,
                               .doc = "Tokens of a batch."};
constexpr FieldSpec kMinClip{.name = "min_clip_ratio",
                             .type = Type::real,
                             .default_value = "0.5",
                             .bounds = kBelowOne,
                             .nullable = true,
                             .doc = "Smallest tested clipping ratio."};
constexpr FieldSpec kShrinkStep{.name = "shrink_step",
                                .type = Type::real,
                                .default_value = "0.05",
                                .bounds = kFraction,
                                .nullable = true,
                                .doc = "Distance of the tested ratios."};
constexpr FieldSpec kAwqClipFields[] = {kMaxBatch, kMaxTokens, kMinClip, kShrinkStep, kDebug};
constexpr FieldSpec kAwqFullFields[] = {kAlphaStep, kMaxBatch, kMaxTokens, kMinClip, kShrinkStep, kDebug};
constexpr FieldSpec kSvdQuantFields[] = {
    {.name = "lowrank", .type = Type::whole, .default_value = "32", .nullable = true, .doc = "Rank of the correction."},
    {.name = "skip_layers",
     .type = Type::texts,
     .default_value = "null",
     .nullable = true,
     .doc = "Layers without a correction."},
};
constexpr FieldSpec kGptqFields[] = {
    {.name = "perc_damp",
     .type = Type::real,
     .default_value = "0.01",
     .bounds = kFraction,
     .nullable = true,
     .doc = "Damping of the Hessian."},
    {.name = "block_size", .type = Type::whole, .default_value = "128", .nullable = true, .doc = "Columns per update."},
    {.name = "fused", .type = Type::boolean, .default_value = "false", .doc = "Uses the fused kernel."},
};
constexpr FieldSpec kHeadroomFields[] = {
    {.name = "anchor_percentile",
     .type = Type::real,
     .default_value = "1.0",
     .bounds = kPercent,
     .doc = "Lower anchor."},
    {.name = "upper_percentile",
     .type = Type::real,
     .default_value = "99.99",
     .bounds = kPercent,
     .doc = "Upper anchor."},
    {.name = "rho", .type = Type::real, .default_value = "16384.0", .bounds = kHeadroomBounds, .doc = "Headroom."},
    {.name = "weight_scale_algorithm",
     .type = Type::any_mapping,
     .default_value = "{method: max}",
     .doc = "Algorithm of the weights."},
};
constexpr FieldSpec kLsqFields[] = {
    {.name = "learnable_amax", .type = Type::text | Type::texts, .default_value = "[post]", .doc = "Learned maxima."},
    {.name = "tied_amax", .type = Type::boolean, .default_value = "false", .doc = "Ties both maxima."},
    {.name = "quantize_pre_scale", .type = Type::boolean, .default_value = "true", .doc = "Quantizes the first scale."},
    {.name = "scale_algorithm",
     .type = Type::any_mapping,
     .default_value = "null",
     .nullable = true,
     .doc = "Algorithm of the initial scales."},
};

#define ALGORITHM(CONSTANT, NAME, FIELDS, DOC) \
  constinit const ClassSpec CONSTANT{.name = NAME, .fields = FIELDS, .doc = DOC, .common = kAlgorithmFields};
ALGORITHM(kMax, "max", kMaxFields, "Uses the maxima of weights and activations.")
ALGORITHM(kMse, "mse", kMseFields, "Searches the maxima with the smallest squared error.")
ALGORITHM(kHessian, "local_hessian", kHessianFields, "Searches maxima weighted by the second moments of the inputs.")
ALGORITHM(kSmoothQuant, "smoothquant", kSmoothQuantFields, "Moves the range of activations to the weights.")
ALGORITHM(kAwqLite, "awq_lite", kAwqLiteFields, "Searches the scales of AWQ.")
ALGORITHM(kAwqClip, "awq_clip", kAwqClipFields, "Searches clipping ratios of AWQ.")
ALGORITHM(kAwqFull, "awq_full", kAwqFullFields, "Runs awq_lite, then awq_clip.")
ALGORITHM(kSvdQuant, "svdquant", kSvdQuantFields, "Adds a correction of low rank. Not for experts.")
ALGORITHM(kGptq, "gptq", kGptqFields, "Rounds weights with GPTQ.")
ALGORITHM(kHeadroom, "nvfp4_act_headroom", kHeadroomFields, "Chooses the input scales of NVFP4 with headroom.")
ALGORITHM(kLsq, "lsq", kLsqFields, "Learns the maxima in a training.")
#undef ALGORITHM

constexpr const ClassSpec* kAlgorithms[] = {&kMax,     &kMse,      &kHessian, &kSmoothQuant, &kAwqLite, &kAwqClip,
                                            &kAwqFull, &kSvdQuant, &kGptq,    &kHeadroom,    &kLsq};

std::span<const ClassSpec* const> algorithms() { return kAlgorithms; }

const ClassSpec* find_algorithm(std::string_view method) {
  const auto* const* found = std::ranges::find(kAlgorithms, method, &ClassSpec::name);
  return found == std::end(kAlgorithms) ? nullptr : *found;
}

constexpr const ClassSpec* kClasses[] = {&kMetadata,     &kQuantizeClass, &kEntryClass, &kAttributesClass, &kRotate,
                                         &kAutoQuantize, &kConstraints,   &kCost,       &kSearchSpace,     &kLayerwise};

std::span<const ClassSpec* const> classes() { return kClasses; }

}  // namespace sparsecfg::dialect::modelopt
