#include "dialect/distiller/table.h"

// Regularizers, quantizers and extensions (reference/distiller.md B.4, B.5 and B.7).
namespace sparsecfg::dialect::distiller {

// A field is a line where it can be.
// clang-format off
constexpr FieldSpec kRegims{.name = "reg_regims", .type = Type::mapping, .required = true, .phase = Moment::step,
                            .doc = "From full names of parameters to strengths, or to pairs of a strength and a group."};
constexpr FieldSpec kL1[] = {
    kRegims,
    {.name = "threshold_criteria", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Anything but null: weights below the strength are masked after each step."},
};
constexpr std::string_view kRegularizerCriteria[] = {"Max", "Mean_Abs"};
constexpr FieldSpec kGroupLasso[] = {
    kRegims,
    {.name = "threshold_criteria", .type = Type::choice, .default_value = "null", .choices = kRegularizerCriteria, .nullable = true,
     .doc = "What of a group is compared with the strength to mask it after each step."},
};
constexpr FieldSpec kGroupVariance[] = {kRegims};

constexpr FieldSpec kActivations{.name = "bits_activations", .type = Type::any, .default_value = "32", .nullable = true,
                                 .doc = "Bits of activations; null: as they are."};
constexpr FieldSpec kBits{.name = "bits_weights", .type = Type::any, .default_value = "32", .nullable = true,
                          .doc = "Bits of weights; null: as they are."};
constexpr FieldSpec kNoBias{.name = "bits_bias", .type = Type::any, .default_value = "null", .nullable = true,
                            .doc = "Bits of biases; null: as they are."};
constexpr FieldSpec kBias{.name = "bits_bias", .type = Type::any, .default_value = "32", .nullable = true,
                          .doc = "Bits of biases; null: as they are."};
constexpr FieldSpec kOverrides{.name = "overrides", .type = Type::mapping, .default_value = "null", .nullable = true,
                               .doc = "From patterns of layers' names to bits; the first that fits a whole name counts, "
                                      "an exact name before all."};
constexpr FieldSpec kMode{.name = "mode", .type = Type::any, .default_value = "SYMMETRIC",
                          .doc = "SYMMETRIC, SYMMETRIC_RESTRICTED, ASYMMETRIC_UNSIGNED or ASYMMETRIC_SIGNED, or a mapping of "
                                 "`activations` and `weights` to such."};
constexpr FieldSpec kDecay{.name = "ema_decay", .type = Type::any, .default_value = "0.999",
                           .doc = "Decay of the moving averages of the ranges."};
constexpr FieldSpec kPerChannel{.name = "per_channel_wts", .type = Type::boolean, .default_value = "false",
                                .doc = "Whether each output channel has a range of its own."};
constexpr FieldSpec kNullBits[] = {
    {.name = "bits_activations", .type = Type::any, .default_value = "null", .nullable = true, .doc = "Bits of activations."},
    {.name = "bits_weights", .type = Type::any, .default_value = "null", .nullable = true, .doc = "Bits of weights."},
    kNoBias, kOverrides,
    {.name = "train_with_fp_copy", .type = Type::boolean, .default_value = "false", .doc = "Whether a float copy is trained."},
};
constexpr FieldSpec kClipped[] = {kActivations, kBits, kNoBias, kOverrides};
constexpr FieldSpec kPact[] = {
    kActivations, kBits, kNoBias, kOverrides,
    {.name = "act_clip_init_val", .type = Type::any, .default_value = "8.0", .doc = "First value of the clipping."},
    {.name = "act_clip_decay", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Weight decay of the clipping; null: the optimizer's own."},
};
constexpr FieldSpec kRangeLinear[] = {
    kActivations, kBits, kBias, kOverrides, kMode, kDecay, kPerChannel,
    {.name = "quantize_inputs", .type = Type::boolean, .default_value = "true", .doc = "Whether the model's inputs are quantized."},
    {.name = "num_bits_inputs", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Bits of the inputs; null: those of activations."},
};
constexpr FieldSpec kNcf[] = {kActivations, kBits, kBias, kOverrides, kMode, kDecay, kPerChannel};
constexpr FieldSpec kPostTraining[] = {
    {.name = "bits_activations", .type = Type::any, .default_value = "8", .nullable = true, .doc = "Bits of activations."},
    {.name = "bits_parameters", .type = Type::any, .default_value = "8", .nullable = true, .doc = "Bits of weights."},
    {.name = "bits_accum", .type = Type::any, .default_value = "32", .doc = "Bits of the accumulator, and of biases."},
    kOverrides, kMode,
    {.name = "clip_acts", .type = Type::any, .default_value = "NONE",
     .doc = "NONE, AVG, N_STD (needs `clip_n_stds`), GAUSS or LAPLACE, or a mapping from layers to such."},
    kPerChannel,
    {.name = "model_activation_stats", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Statistics of the activations: a file or a mapping."},
    {.name = "fp16", .type = Type::boolean, .default_value = "false", .doc = "Deprecated: write `fpq_module: 16`."},
    {.name = "clip_n_stds", .type = Type::any, .default_value = "null", .nullable = true, .doc = "Deviations to clip at for N_STD."},
    {.name = "clip_half_range", .type = Type::boolean, .default_value = "false", .doc = "Whether activations without sign are clipped to half."},
    {.name = "scale_approx_mult_bits", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Bits of the integer that stands for the scale."},
    {.name = "inputs_quant_auto_fallback", .type = Type::boolean, .default_value = "true",
     .doc = "Whether inputs without statistics are quantized by what comes."},
    {.name = "fpq_module", .type = Type::any, .default_value = "null", .nullable = true, .doc = "Bits of a floating-point module: 16, 32 or 64."},
    {.name = "save_fp_weights", .type = Type::boolean, .default_value = "false", .doc = "Whether float weights are kept."},
    {.name = "also_clip_weights", .type = Type::boolean, .default_value = "false", .doc = "Whether weights are clipped as activations are."},
};

constexpr FieldSpec kRemover[] = {
    {.name = "thinning_func_str", .type = Type::text, .required = true,
     .doc = "What to call: remove_filters, remove_channels or resnet_cifar_remove_layers."},
    {.name = "arch", .type = Type::any, .required = true, .doc = "Name of the model's architecture."},
    {.name = "dataset", .type = Type::any, .required = true, .doc = "Name of the data set, which says what the inputs are."},
};

constexpr std::string_view kAbstract = "it is the base of the other quantizers and quantizes nothing by itself";

constexpr ClassSpec kOthers[] = {
    {"L1Regularizer", Section::regularizers, Meaning::l1, kL1, "Adds the magnitudes of weights to the loss.", "l1"},
    {"GroupLassoRegularizer", Section::regularizers, Meaning::group_lasso, kGroupLasso,
     "Adds the norms of groups of weights to the loss.", "group_lasso"},
    {"GroupVarianceRegularizer", Section::regularizers, Meaning::group_variance, kGroupVariance,
     "Rewards channels whose norms differ.", "group_variance"},
    {"DorefaQuantizer", Section::quantizers, Meaning::quantizer, kClipped, "Trains with weights and activations by DoReFa.", {}, true},
    {"NCFQuantAwareTrainQuantizer", Section::quantizers, Meaning::quantizer, kNcf,
     "Range-based linear quantization of a neural collaborative filter.", {}, true},
    {"PACTQuantizer", Section::quantizers, Meaning::quantizer, kPact, "Trains with activations that are clipped at a learned value.", {}, true},
    {"PostTrainLinearQuantizer", Section::quantizers, Meaning::post_training, kPostTraining,
     "Quantizes a trained model by the ranges of its activations.", {}, true},
    {"QuantAwareTrainRangeLinearQuantizer", Section::quantizers, Meaning::quantizer, kRangeLinear,
     "Trains with linear quantization by tracked ranges.", {}, true},
    {"Quantizer", Section::quantizers, Meaning::quantizer, kNullBits, "The base of all quantizers.", kAbstract, true},
    {"WRPNQuantizer", Section::quantizers, Meaning::quantizer, kClipped, "Trains with weights and activations by WRPN.", {}, true},
    {"ChannelRemover", Section::extensions, Meaning::remover, kRemover, "Takes pruned channels out of the model.", {}, true},
    {"FilterRemover", Section::extensions, Meaning::remover, kRemover, "Takes pruned filters out of the model.", {}, true},
    {"StructureRemover", Section::extensions, Meaning::remover, kRemover, "Takes pruned structures out of the model.", {}, true},
};

std::span<const ClassSpec> other_classes() { return kOthers; }

// clang-format on

}  // namespace sparsecfg::dialect::distiller
