#include "dialect/distiller/table.h"

// Pruners (reference/distiller.md B.1).
namespace sparsecfg::dialect::distiller {

// A field is a line where it can be.
// clang-format off
constexpr FieldSpec kInitial{.name = "initial_sparsity", .type = Type::number, .required = true,
                             .doc = "Sparsity at the first active epoch; above 0 where weights are pruned one by one."};
constexpr FieldSpec kFinal{.name = "final_sparsity", .type = Type::number, .required = true,
                           .doc = "Sparsity at the last active epoch; must be above the initial one."};
constexpr FieldSpec kWeights{.name = "weights", .type = Type::selectors, .required = true,
                             .doc = "Full names of the parameters to prune; a bare text takes every name that is a part of it."};
constexpr FieldSpec kDesired{.name = "desired_sparsity", .type = Type::number, .required = true, .phase = Moment::step,
                             .doc = "Share of the structures to remove, 0 to 1."};

constexpr std::string_view kRankedGroups[] = {"3D", "Filters", "Channels", "Rows", "Blocks"};
constexpr FieldSpec kGroup{.name = "group_type", .type = Type::choice, .required = true, .choices = kRankedGroups,
                           .doc = "What is removed together: 3D and Filters are output channels, Channels and Rows input channels."};
constexpr std::string_view kFilterGroups[] = {"3D", "Filters"};
constexpr FieldSpec kFilters{.name = "group_type", .type = Type::choice, .required = true, .choices = kFilterGroups,
                             .doc = "What is removed together: only whole filters."};
constexpr FieldSpec kAnyFilters{.name = "group_type", .type = Type::any, .required = true,
                                .doc = "What is removed together: whole filters, whatever it says."};
constexpr FieldSpec kDependency{.name = "group_dependency", .type = Type::any, .default_value = "null", .nullable = true,
                                .doc = "`Leader`: the first weight decides for all of them; anything else: each for itself."};
constexpr FieldSpec kKwargs{.name = "kwargs", .type = Type::any, .default_value = "null", .nullable = true,
                            .doc = "`block_shape` for Blocks: four ints [repetitions, depth, 1, 1]."};
constexpr FieldSpec kGroupSize{.name = "group_size", .type = Type::number, .default_value = "1", .phase = Moment::step,
                               .doc = "The number of removed structures is a multiple of it."};
constexpr FieldSpec kFactory{.name = "rate_scheduler_factory", .type = Type::any, .default_value = "null", .nullable = true,
                             .doc = "A Python callable; a file can't give one."};
constexpr FieldSpec kRounding{.name = "rounding_fn", .type = Type::any, .default_value = "null", .nullable = true,
                              .doc = "A Python callable; a file can't give one."};
constexpr FieldSpec kSensitivities{.name = "sensitivities", .type = Type::mapping, .required = true, .phase = Moment::step,
                                   .doc = "From full names, or `*` for all others, to factors of the standard deviation."};

constexpr FieldSpec kGradual[] = {kInitial, kFinal, kWeights, kFactory};
constexpr FieldSpec kRankedGradual[] = {kInitial, kFinal, kGroup, kWeights, kDependency, kKwargs};
constexpr FieldSpec kRanked[] = {
    kGroup, kDesired, kWeights, kDependency, kKwargs,
    {.name = "noise", .type = Type::number, .default_value = "0.0", .phase = Moment::step,
     .doc = "Chance of swapping neighbours in the ranking."},
    kGroupSize, kRounding,
};
constexpr FieldSpec kActivation[] = {kAnyFilters, kDesired, kWeights, kDependency};
constexpr FieldSpec kActivationGradual[] = {kInitial, kFinal, kFilters, kWeights, kDependency};
constexpr FieldSpec kLevel[] = {
    {.name = "levels", .type = Type::mapping, .required = true,
     .doc = "From full names, or `*` for all others, to sparsities; 0 leaves a parameter alone."},
};
constexpr FieldSpec kSensitivity[] = {kSensitivities};
constexpr FieldSpec kMagnitude[] = {
    {.name = "thresholds", .type = Type::mapping, .required = true,
     .doc = "From full names to thresholds; `*` must be there and takes all others, biases and norms too."},
};
constexpr FieldSpec kSplicing[] = {
    kSensitivities,
    {.name = "low_thresh_mult", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Weights below this multiple are masked."},
    {.name = "hi_thresh_mult", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Weights from this multiple on are unmasked."},
    {.name = "sensitivity_multiplier", .type = Type::number, .default_value = "0", .phase = Moment::step,
     .doc = "Growth of the sensitivities with each epoch.", .unit = Unit::each_epoch},
};
constexpr FieldSpec kBaidu[] = {
    {.name = "q", .type = Type::number, .required = true, .phase = Moment::step, .doc = "Threshold at the end, as for a dense model."},
    {.name = "ramp_epoch_offset", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Epochs from the start to the steeper slope.", .unit = Unit::epochs},
    {.name = "ramp_slope_mult", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "How much steeper that slope is."},
    kWeights,
};
constexpr std::string_view kCriteria[] = {"Max", "Mean_Abs"};
constexpr FieldSpec kStructure[] = {
    {.name = "reg_regims", .type = Type::mapping, .required = true, .phase = Moment::step,
     .doc = "From full names to pairs of a threshold and a group."},
    {.name = "threshold_criteria", .type = Type::choice, .required = true, .choices = kCriteria,
     .doc = "What of a group is compared with the threshold."},
};
constexpr FieldSpec kRandomLevel[] = {
    kGroup,
    {.name = "sparsity_range", .type = Type::list, .required = true, .phase = Moment::step,
     .doc = "Least and greatest sparsity; one between them is drawn each time."},
    kWeights, kDependency, kKwargs,
};
constexpr std::string_view kChannels[] = {"Channels"};
constexpr FieldSpec kReconstruction[] = {
    {.name = "group_type", .type = Type::choice, .required = true, .choices = kChannels, .doc = "Only input channels."},
    kDesired, kWeights, kGroupSize,
    {.name = "ranking_noise", .type = Type::number, .default_value = "0.0", .phase = Moment::step,
     .doc = "Noise in the ranking."},
    kKwargs, kDependency,
};

constexpr ClassSpec kPruners[] = {
    {"ActivationAPoZRankedFilterPruner", Section::pruners, Meaning::ranked, kActivation,
     "Removes the filters whose activations are zero most often.", "apoz"},
    {"ActivationAPoZRankedFilterPruner_AGP", Section::pruners, Meaning::ranked_gradual, kActivationGradual,
     "Gradually removes the filters whose activations are zero most often.", "apoz"},
    {"ActivationMeanRankedFilterPruner", Section::pruners, Meaning::ranked, kActivation,
     "Removes the filters with the smallest mean activations.", "activation_mean"},
    {"ActivationMeanRankedFilterPruner_AGP", Section::pruners, Meaning::ranked_gradual, kActivationGradual,
     "Gradually removes the filters with the smallest mean activations.", "activation_mean"},
    {"AutomatedGradualPruner", Section::pruners, Meaning::gradual, kGradual,
     "Prunes the smallest weights gradually, fast at first (AGP).", "magnitude"},
    {"BaiduRNNPruner", Section::pruners, Meaning::baidu, kBaidu,
     "Prunes weights below a threshold that grows along two slopes.", "baidu"},
    {"BernoulliFilterPruner", Section::pruners, Meaning::ranked, kActivation,
     "Drops filters at random.", "bernoulli"},
    {"BernoulliFilterPruner_AGP", Section::pruners, Meaning::ranked_gradual, kActivationGradual,
     "Gradually drops more filters at random.", "bernoulli"},
    {"FMReconstructionChannelPruner", Section::pruners, Meaning::reconstruction, kReconstruction,
     "Removes input channels and fits the rest to feature maps that were collected before.", "reconstruction"},
    {"GradientRankedFilterPruner", Section::pruners, Meaning::ranked, kActivation,
     "Removes the filters with the smallest gradients.", "gradient"},
    {"GradientRankedFilterPruner_AGP", Section::pruners, Meaning::ranked_gradual, kActivationGradual,
     "Gradually removes the filters with the smallest gradients.", "gradient"},
    {"L1RankedStructureParameterPruner", Section::pruners, Meaning::ranked, kRanked,
     "Removes the structures with the smallest mean magnitudes.", "l1"},
    {"L1RankedStructureParameterPruner_AGP", Section::pruners, Meaning::ranked_gradual, kRankedGradual,
     "Gradually removes the structures with the smallest mean magnitudes.", "l1"},
    {"L2RankedStructureParameterPruner", Section::pruners, Meaning::ranked, kRanked,
     "Removes the structures with the smallest norms.", "l2"},
    {"L2RankedStructureParameterPruner_AGP", Section::pruners, Meaning::ranked_gradual, kRankedGradual,
     "Gradually removes the structures with the smallest norms.", "l2"},
    {"MagnitudeParameterPruner", Section::pruners, Meaning::magnitude, kMagnitude,
     "Prunes weights below thresholds, in every parameter of the model.", "magnitude"},
    {"RandomLevelStructureParameterPruner", Section::pruners, Meaning::random_level, kRandomLevel,
     "Removes a random share of structures each time.", "random"},
    {"RandomRankedFilterPruner", Section::pruners, Meaning::ranked, kActivation,
     "Removes random filters.", "random"},
    {"RandomRankedFilterPruner_AGP", Section::pruners, Meaning::ranked_gradual, kActivationGradual,
     "Gradually removes random filters.", "random"},
    {"SensitivityPruner", Section::pruners, Meaning::sensitivity, kSensitivity,
     "Prunes weights below a multiple of the standard deviation that they had at first.", "sensitivity"},
    {"SparsityLevelParameterPruner", Section::pruners, Meaning::level, kLevel,
     "Prunes the smallest weights down to a level for each parameter.", "magnitude"},
    {"SplicingPruner", Section::pruners, Meaning::splicing, kSplicing,
     "Prunes small weights and lets large ones come back (dynamic network surgery).", "splicing"},
    {"StructureParameterPruner", Section::pruners, Meaning::structure_threshold, kStructure,
     "Removes groups of weights below a threshold.", "group_threshold"},
};

std::span<const ClassSpec> pruner_classes() { return kPruners; }

// clang-format on

}  // namespace sparsecfg::dialect::distiller
