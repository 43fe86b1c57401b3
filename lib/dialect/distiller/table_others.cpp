#include "dialect/distiller/table.h"

// Table of regularizers, quantizers and extensions (docs/semantics/distiller.md#b4, #b5, #b7).
namespace sparsecfg::dialect::distiller {

// One line per field if possible.
// clang-format off
constexpr FieldSpec kRegims{.name = "reg_regims", .type = Type::any_mapping, .required = true, .phase = Moment::step,
                            .doc = "Mapping of full parameter names to strengths, or to pairs of a strength and a group."};
constexpr FieldSpec kL1[] = {
    kRegims,
    {.name = "threshold_criteria", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Any value except null masks weights below the strength after each step."},
};
constexpr std::string_view kRegularizerCriteria[] = {"Max", "Mean_Abs"};
constexpr FieldSpec kGroupLasso[] = {
    kRegims,
    {.name = "threshold_criteria", .type = Type::choice, .default_value = "null", .choices = kRegularizerCriteria, .nullable = true,
     .doc = "Statistic that is compared with the strength. Groups below it are masked after each step."},
};
constexpr FieldSpec kGroupVariance[] = {kRegims};

constexpr FieldSpec kActivations{.name = "bits_activations", .type = Type::any, .default_value = "32", .nullable = true,
                                 .doc = "Bit width of activations. null disables their quantization."};
constexpr FieldSpec kBits{.name = "bits_weights", .type = Type::any, .default_value = "32", .nullable = true,
                          .doc = "Bit width of weights. null disables their quantization."};
constexpr FieldSpec kNoBias{.name = "bits_bias", .type = Type::any, .default_value = "null", .nullable = true,
                            .doc = "Bit width of biases. null disables their quantization."};
constexpr FieldSpec kBias{.name = "bits_bias", .type = Type::any, .default_value = "32", .nullable = true,
                          .doc = "Bit width of biases. null disables their quantization."};
constexpr FieldSpec kOverrides{.name = "overrides", .type = Type::any_mapping, .default_value = "null", .nullable = true,
                               .doc = "Mapping of layer name patterns to bit widths. An exact name is used first, "
                                      "then the first pattern that matches a whole name."};
constexpr FieldSpec kMode{.name = "mode", .type = Type::any, .default_value = "SYMMETRIC", .suggested = kQuantizerModes,
                          .doc = "SYMMETRIC, SYMMETRIC_RESTRICTED, ASYMMETRIC_UNSIGNED or ASYMMETRIC_SIGNED, or a mapping of "
                                 "`activations` and `weights` to these modes."};
constexpr FieldSpec kDecay{.name = "ema_decay", .type = Type::any, .default_value = "0.999",
                           .doc = "Decay of the moving average of the value ranges."};
constexpr FieldSpec kPerChannel{.name = "per_channel_wts", .type = Type::truth, .default_value = "false",
                                .doc = "Use a separate range for each output channel."};
constexpr FieldSpec kNullBits[] = {
    {.name = "bits_activations", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Bit width of activations."},
    {.name = "bits_weights", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Bit width of weights."},
    kNoBias, kOverrides,
    {.name = "train_with_fp_copy", .type = Type::truth, .default_value = "false",
     .doc = "Train a floating-point copy of the weights."},
};
constexpr FieldSpec kClipped[] = {kActivations, kBits, kNoBias, kOverrides};
constexpr FieldSpec kPact[] = {
    kActivations, kBits, kNoBias, kOverrides,
    {.name = "act_clip_init_val", .type = Type::any, .default_value = "8.0",
     .doc = "Initial clipping value of activations."},
    {.name = "act_clip_decay", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Weight decay of the clipping values. null uses the optimizer's weight decay."},
};
constexpr FieldSpec kRangeLinear[] = {
    kActivations, kBits, kBias, kOverrides, kMode, kDecay, kPerChannel,
    {.name = "quantize_inputs", .type = Type::truth, .default_value = "true",
     .doc = "Quantize the inputs of the model."},
    {.name = "num_bits_inputs", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Bit width of the model inputs. null uses `bits_activations`."},
};
constexpr FieldSpec kNcf[] = {kActivations, kBits, kBias, kOverrides, kMode, kDecay, kPerChannel};
constexpr std::string_view kFloatBits[] = {"16", "32", "64"};
constexpr FieldSpec kPostTraining[] = {
    {.name = "bits_activations", .type = Type::any, .default_value = "8", .nullable = true,
     .doc = "Bit width of activations."},
    {.name = "bits_parameters", .type = Type::any, .default_value = "8", .nullable = true,
     .doc = "Bit width of weights."},
    {.name = "bits_accum", .type = Type::any, .default_value = "32", .doc = "Bit width of accumulators and biases."},
    kOverrides, kMode,
    {.name = "clip_acts", .type = Type::any, .default_value = "NONE", .suggested = kClipModes,
     .doc = "NONE, AVG, N_STD (needs `clip_n_stds`), GAUSS or LAPLACE, or a mapping of layers to these modes."},
    kPerChannel,
    {.name = "model_activation_stats", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Activation statistics, as a file name or a mapping."},
    {.name = "fp16", .type = Type::truth, .default_value = "false",
     .doc = "Deprecated. Write `fpq_module: 16` instead."},
    {.name = "clip_n_stds", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Number of standard deviations at which N_STD clips."},
    {.name = "clip_half_range", .type = Type::truth, .default_value = "false",
     .doc = "Clip unsigned activations to half of their range."},
    {.name = "scale_approx_mult_bits", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Bit width of the integer that approximates the scale."},
    {.name = "inputs_quant_auto_fallback", .type = Type::truth, .default_value = "true",
     .doc = "Quantize inputs without statistics dynamically."},
    {.name = "fpq_module", .type = Type::any, .default_value = "null", .suggested = kFloatBits, .nullable = true,
     .doc = "Bit width of floating-point modules: 16, 32 or 64."},
    {.name = "save_fp_weights", .type = Type::truth, .default_value = "false",
     .doc = "Keep the floating-point weights."},
    {.name = "also_clip_weights", .type = Type::truth, .default_value = "false",
     .doc = "Clip weights in the same way as activations."},
};

constexpr std::string_view kThinningFunctions[] = {"remove_filters", "remove_channels", "resnet_cifar_remove_layers"};
constexpr FieldSpec kRemover[] = {
    {.name = "thinning_func_str", .type = Type::choice, .required = true, .choices = kThinningFunctions,
     .doc = "Function to call: remove_filters, remove_channels or resnet_cifar_remove_layers."},
    {.name = "arch", .type = Type::any, .required = true, .doc = "Name of the model architecture."},
    {.name = "dataset", .type = Type::any, .required = true,
     .doc = "Name of the data set, which determines the input shape."},
};

constexpr std::string_view kAbstractClass = "it is an abstract base class";

constexpr ClassSpec kOthers[] = {
    {.name = "L1Regularizer", .kind = ClassKind::l1, .fields = kL1,
     .doc = "Adds the L1 norm of weights to the loss.", .section = Section::regularizers, .criterion = "l1"},
    {.name = "GroupLassoRegularizer", .kind = ClassKind::group_lasso, .fields = kGroupLasso,
     .doc = "Adds the norms of groups of weights to the loss.",
     .section = Section::regularizers, .criterion = "group_lasso"},
    {.name = "GroupVarianceRegularizer", .kind = ClassKind::group_variance, .fields = kGroupVariance,
     .doc = "Rewards channels whose norms differ.", .section = Section::regularizers, .criterion = "group_variance"},
    {.name = "DorefaQuantizer", .kind = ClassKind::quantizer, .fields = kClipped,
     .doc = "Quantization-aware training by the DoReFa method.", .flags = kTakesModel | kReusesGraph, .section = Section::quantizers},
    {.name = "NCFQuantAwareTrainQuantizer", .kind = ClassKind::quantizer, .fields = kNcf,
     .doc = "Range-based linear quantization of the NCF (neural collaborative filtering) model.", .flags = kTakesModel,
     .section = Section::quantizers},
    {.name = "PACTQuantizer", .kind = ClassKind::quantizer, .fields = kPact,
     .doc = "Quantization-aware training with learned clipping of activations (PACT).",
     .flags = kTakesModel | kReusesGraph | kLearnsBounds, .section = Section::quantizers},
    {.name = "PostTrainLinearQuantizer", .kind = ClassKind::post_training, .fields = kPostTraining,
     .doc = "Post-training linear quantization from the ranges of activations.", .flags = kTakesModel,
     .section = Section::quantizers},
    {.name = "QuantAwareTrainRangeLinearQuantizer", .kind = ClassKind::quantizer, .fields = kRangeLinear,
     .doc = "Quantization-aware training with linear quantization and tracked ranges.",
     .flags = kTakesModel | kTracksRanges, .section = Section::quantizers},
    {.name = "Quantizer", .kind = ClassKind::quantizer, .fields = kNullBits,
     .doc = "Abstract base class of all quantizers.", .flags = kTakesModel | kAbstract, .section = Section::quantizers, .criterion = kAbstractClass},
    {.name = "WRPNQuantizer", .kind = ClassKind::quantizer, .fields = kClipped,
     .doc = "Quantization-aware training by the WRPN method.",
     .flags = kTakesModel | kReusesGraph | kClipsParameters, .section = Section::quantizers},
    {.name = "ChannelRemover", .kind = ClassKind::remover, .fields = kRemover,
     .doc = "Removes pruned channels from the model.", .flags = kTakesModel, .section = Section::extensions},
    {.name = "FilterRemover", .kind = ClassKind::remover, .fields = kRemover,
     .doc = "Removes pruned filters from the model.", .flags = kTakesModel, .section = Section::extensions},
    {.name = "StructureRemover", .kind = ClassKind::remover, .fields = kRemover,
     .doc = "Removes pruned structures from the model.", .flags = kTakesModel, .section = Section::extensions},
};

std::span<const ClassSpec> other_classes() { return kOthers; }

// clang-format on

}  // namespace sparsecfg::dialect::distiller
