#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/table.h"
#include "dialect/record/conditions.h"

// Table of pruners (docs/semantics/distiller.md#b1).
namespace sparsecfg::dialect::distiller {

// One line per field if possible.
// clang-format off
constexpr FieldSpec kInitial{.name = "initial_sparsity", .type = Type::number, .required = true,
                             .doc = "Sparsity in the first active epoch, above 0 for pruners of single weights."};
constexpr FieldSpec kFinal{.name = "final_sparsity", .type = Type::number, .required = true,
                           .doc = "Sparsity in the last active epoch, above `initial_sparsity`."};
constexpr FieldSpec kWeights{.name = "weights", .type = Type::selectors, .required = true,
                             .doc = "List of full names of the parameters to prune. A bare string selects every name that is a substring of it."};
constexpr FieldSpec kDesired{.name = "desired_sparsity", .type = Type::number, .required = true, .phase = Moment::step,
                             .doc = "Fraction of structures to remove, 0 to 1."};

constexpr std::string_view kRankedGroups[] = {"3D", "Filters", "Channels", "Rows", "Blocks"};
constexpr FieldSpec kGroup{.name = "group_type", .type = Type::choice, .required = true, .choices = kRankedGroups,
                           .doc = "Structure to remove. 3D and Filters are output channels, Channels and Rows are input channels."};
constexpr std::string_view kFilterGroups[] = {"3D", "Filters"};
constexpr FieldSpec kFilters{.name = "group_type", .type = Type::choice, .required = true, .choices = kFilterGroups,
                             .doc = "Structure to remove. Only whole filters are supported."};
constexpr FieldSpec kAnyFilters{.name = "group_type", .type = Type::any, .required = true,
                                .doc = "Ignored: whole filters are always removed."};
constexpr std::string_view kDependencies[] = {"Leader"};
constexpr FieldSpec kDependency{.name = "group_dependency", .type = Type::any, .default_value = "null", .suggested = kDependencies, .nullable = true,
                                .doc = "With `Leader` all weights lose the structures that the first weight loses. Other values rank each weight separately."};
constexpr FieldSpec kKwargs{.name = "kwargs", .type = Type::any, .default_value = "null", .nullable = true,
                            .doc = "`block_shape` for Blocks, as four ints [repetitions, depth, 1, 1]."};
constexpr FieldSpec kGroupSize{.name = "group_size", .type = Type::number, .default_value = "1", .phase = Moment::step,
                               .doc = "The number of removed structures is rounded down to a multiple of this."};

DIAGNOSTIC(SP129, function_in_schedule, error, (Text, Text, Text), "`{}` must be a Python function, which a schedule can't contain",
           "The constructor of the class calls the value. A value of a file is no function, so loading fails with a "
           "TypeError, also if no policy uses the component.",
           "delete `{0}`")

constexpr Unsupported kCalled[] = {{is::anything, diag::function_in_schedule, true}};
constexpr FieldSpec kFactory{.name = "rate_scheduler_factory", .type = Type::any, .default_value = "by class", .nullable = true,
                             .unsupported = kCalled, .doc = "A Python callable. Cannot be set in a file."};
constexpr FieldSpec kRounding{.name = "rounding_fn", .type = Type::any, .default_value = "null", .nullable = true,
                              .doc = "A Python callable. Cannot be set in a file."};
constexpr FieldSpec kSensitivities{.name = "sensitivities", .type = Type::any_mapping, .required = true, .phase = Moment::step,
                                   .doc = "Mapping of full names to multiples of the standard deviation. `*` means all other parameters."};

constexpr FieldSpec kGradual[] = {kInitial, kFinal, kWeights, kFactory};
constexpr FieldSpec kRankedGradual[] = {kInitial, kFinal, kGroup, kWeights, kDependency, kKwargs};
constexpr FieldSpec kRanked[] = {
    kGroup, kDesired, kWeights, kDependency, kKwargs,
    {.name = "noise", .type = Type::number, .default_value = "0.0", .phase = Moment::step,
     .doc = "Probability of swapping neighbors in the ranking."},
    kGroupSize, kRounding,
};
constexpr FieldSpec kActivation[] = {kAnyFilters, kDesired, kWeights, kDependency};
constexpr FieldSpec kActivationGradual[] = {kInitial, kFinal, kFilters, kWeights, kDependency};
constexpr FieldSpec kLevel[] = {
    {.name = "levels", .type = Type::any_mapping, .required = true,
     .doc = "Mapping of full names to sparsities. `*` means all other parameters, 0 leaves a parameter unpruned."},
};
constexpr FieldSpec kSensitivity[] = {kSensitivities};
constexpr FieldSpec kMagnitude[] = {
    {.name = "thresholds", .type = Type::any_mapping, .required = true,
     .doc = "Mapping of full names to thresholds. `*` is required and means all other parameters, including biases and norms."},
};
constexpr FieldSpec kSplicing[] = {
    kSensitivities,
    {.name = "low_thresh_mult", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Multiple of the threshold below which weights are masked."},
    {.name = "hi_thresh_mult", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Multiple of the threshold from which weights are unmasked."},
    {.name = "sensitivity_multiplier", .type = Type::number, .default_value = "0", .phase = Moment::step,
     .doc = "Relative growth of the sensitivities per epoch.", .unit = Unit::each_epoch},
};
constexpr FieldSpec kBaidu[] = {
    {.name = "q", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Final threshold that a dense model would reach."},
    {.name = "ramp_epoch_offset", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Epochs from the start until the slope becomes steeper.", .unit = Unit::epochs},
    {.name = "ramp_slope_mult", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Factor by which the slope becomes steeper."},
    kWeights,
};
constexpr std::string_view kCriteria[] = {"Max", "Mean_Abs"};
constexpr FieldSpec kStructure[] = {
    {.name = "reg_regims", .type = Type::any_mapping, .required = true, .phase = Moment::step,
     .doc = "Mapping of full names to pairs of a threshold and a group."},
    {.name = "threshold_criteria", .type = Type::choice, .required = true, .choices = kCriteria,
     .doc = "Statistic of a group that is compared with the threshold."},
};
constexpr FieldSpec kRandomLevel[] = {
    kGroup,
    {.name = "sparsity_range", .type = Type::list, .required = true, .phase = Moment::step,
     .doc = "Minimum and maximum sparsity. Each time a random sparsity between them is used."},
    kWeights, kDependency, kKwargs,
};
constexpr std::string_view kChannels[] = {"Channels"};
constexpr FieldSpec kReconstruction[] = {
    {.name = "group_type", .type = Type::choice, .required = true, .choices = kChannels,
     .doc = "Structure to remove. Only input channels are supported."},
    kDesired, kWeights, kGroupSize,
    {.name = "ranking_noise", .type = Type::number, .default_value = "0.0", .phase = Moment::step,
     .doc = "Magnitude of the noise in the ranking."},
    kKwargs, kDependency,
};

constexpr ClassSpec kPruners[] = {
    {.name = "ActivationAPoZRankedFilterPruner", .kind = ClassKind::ranked, .fields = kActivation,
     .doc = "Removes the filters whose activations are zero most often.",
     .section = Section::pruners, .criterion = "apoz"},
    {.name = "ActivationAPoZRankedFilterPruner_AGP", .kind = ClassKind::ranked_gradual, .fields = kActivationGradual,
     .doc = "Gradually removes the filters whose activations are zero most often.",
     .section = Section::pruners, .criterion = "apoz"},
    {.name = "ActivationMeanRankedFilterPruner", .kind = ClassKind::ranked, .fields = kActivation,
     .doc = "Removes the filters with the smallest mean activations.",
     .section = Section::pruners, .criterion = "activation_mean"},
    {.name = "ActivationMeanRankedFilterPruner_AGP", .kind = ClassKind::ranked_gradual, .fields = kActivationGradual,
     .doc = "Gradually removes the filters with the smallest mean activations.",
     .section = Section::pruners, .criterion = "activation_mean"},
    {.name = "AutomatedGradualPruner", .kind = ClassKind::gradual, .fields = kGradual,
     .doc = "Prunes the smallest weights gradually, fast at first (AGP).",
     .section = Section::pruners, .criterion = "magnitude"},
    {.name = "BaiduRNNPruner", .kind = ClassKind::baidu, .fields = kBaidu,
     .doc = "Prunes weights below a threshold that rises in two linear phases.",
     .section = Section::pruners, .criterion = "baidu"},
    {.name = "BernoulliFilterPruner", .kind = ClassKind::ranked, .fields = kActivation,
     .doc = "Removes filters at random.", .section = Section::pruners, .criterion = "bernoulli"},
    {.name = "BernoulliFilterPruner_AGP", .kind = ClassKind::ranked_gradual, .fields = kActivationGradual,
     .doc = "Gradually removes filters at random.", .section = Section::pruners, .criterion = "bernoulli"},
    {.name = "FMReconstructionChannelPruner", .kind = ClassKind::reconstruction, .fields = kReconstruction,
     .doc = "Removes input channels and fits the remaining weights to previously collected feature maps.",
     .section = Section::pruners, .criterion = "reconstruction"},
    {.name = "GradientRankedFilterPruner", .kind = ClassKind::ranked, .fields = kActivation,
     .doc = "Removes the filters with the smallest gradients.", .section = Section::pruners, .criterion = "gradient"},
    {.name = "GradientRankedFilterPruner_AGP", .kind = ClassKind::ranked_gradual, .fields = kActivationGradual,
     .doc = "Gradually removes the filters with the smallest gradients.",
     .section = Section::pruners, .criterion = "gradient"},
    {.name = "L1RankedStructureParameterPruner", .kind = ClassKind::ranked, .fields = kRanked,
     .doc = "Removes the structures with the smallest mean magnitudes.",
     .section = Section::pruners, .criterion = "l1"},
    {.name = "L1RankedStructureParameterPruner_AGP", .kind = ClassKind::ranked_gradual, .fields = kRankedGradual,
     .doc = "Gradually removes the structures with the smallest mean magnitudes.",
     .section = Section::pruners, .criterion = "l1"},
    {.name = "L2RankedStructureParameterPruner", .kind = ClassKind::ranked, .fields = kRanked,
     .doc = "Removes the structures with the smallest norms.", .section = Section::pruners, .criterion = "l2"},
    {.name = "L2RankedStructureParameterPruner_AGP", .kind = ClassKind::ranked_gradual, .fields = kRankedGradual,
     .doc = "Gradually removes the structures with the smallest norms.",
     .section = Section::pruners, .criterion = "l2"},
    {.name = "MagnitudeParameterPruner", .kind = ClassKind::magnitude, .fields = kMagnitude,
     .doc = "Prunes weights below thresholds, in every parameter of the model.",
     .section = Section::pruners, .criterion = "magnitude"},
    {.name = "RandomLevelStructureParameterPruner", .kind = ClassKind::random_level, .fields = kRandomLevel,
     .doc = "Removes a random fraction of structures each time.", .section = Section::pruners, .criterion = "random"},
    {.name = "RandomRankedFilterPruner", .kind = ClassKind::ranked, .fields = kActivation,
     .doc = "Removes random filters.", .section = Section::pruners, .criterion = "random"},
    {.name = "RandomRankedFilterPruner_AGP", .kind = ClassKind::ranked_gradual, .fields = kActivationGradual,
     .doc = "Gradually removes random filters.", .section = Section::pruners, .criterion = "random"},
    {.name = "SensitivityPruner", .kind = ClassKind::sensitivity, .fields = kSensitivity,
     .doc = "Prunes weights below a multiple of their initial standard deviation.",
     .section = Section::pruners, .criterion = "sensitivity"},
    {.name = "SparsityLevelParameterPruner", .kind = ClassKind::level, .fields = kLevel,
     .doc = "Prunes the smallest weights to a sparsity level per parameter.",
     .section = Section::pruners, .criterion = "magnitude"},
    {.name = "SplicingPruner", .kind = ClassKind::splicing, .fields = kSplicing,
     .doc = "Masks small weights and restores large ones (dynamic network surgery).",
     .section = Section::pruners, .criterion = "splicing"},
    {.name = "StructureParameterPruner", .kind = ClassKind::structure_threshold, .fields = kStructure,
     .doc = "Removes groups of weights below a threshold.",
     .section = Section::pruners, .criterion = "group_threshold"},
};

std::span<const ClassSpec> pruner_classes() { return kPruners; }

// clang-format on

}  // namespace sparsecfg::dialect::distiller
