#include "dialect/sparseml/table/fields.h"

// Pruning modifiers. Source: docs/semantics/sparseml.md#b3, #b4.
namespace sparsecfg::dialect::sparseml {

// One field per line where possible.
// clang-format off
constexpr FieldSpec kFinalSparsity{
    .name = "final_sparsity", .type = Type::exact_float | Type::selectors_by, .required = true, .bounds = kInnerFraction,
    .doc = "Final sparsity, between 0.0 and 1.0, or a mapping from sparsity to a list of selectors."};
// MFAC and OBS check the type and range of these fields only when they prune.
constexpr FieldSpec kUncheckedInit{
    .name = "init_sparsity", .type = Type::number, .required = true, .token = "__FROM_PARAM__", .phase = Moment::step,
    .doc = "Initial sparsity, or `__FROM_PARAM__` for the current sparsity of each parameter."};
constexpr FieldSpec kUncheckedFinal{
    .name = "final_sparsity", .type = Type::exact_float | Type::selectors_by, .required = true, .phase = Moment::initialize,
    .doc = "Final sparsity, or a mapping from sparsity to a list of selectors."};

constexpr std::string_view kScores[] = {"magnitude"};
constexpr std::string_view kGradientDevices[] = {"cpu", "cuda"};
constexpr std::string_view kObsMasks[] = {"unstructured", "block4"};

constexpr FieldSpec kGmPruning[] = {
    kParams, kInitSparsity, kFinalSparsity, kStart, kEnd, kFrequency, kInterFunc, kMaskType, kLeaveEnabled,
    {.name = "global_sparsity", .type = Type::truth, .default_value = "false",
     .doc = "Deprecated. Use GlobalMagnitudePruningModifier."},
    {.name = "phased", .type = Type::truth, .default_value = "false",
     .doc = "Removed. Use ACDCPruningModifier."},
    {.name = "score_type", .type = Type::any, .default_value = "magnitude", .suggested = kScores,
     .doc = "Only `magnitude` is still accepted. Other methods have their own modifiers."},
};
constexpr FieldSpec kMagnitude[] = {kParams, kInitSparsity, kFinalSparsity, kStart, kEnd, kFrequency,
                                    kInterFunc, kMaskType, kLeaveEnabled};

constexpr std::string_view kStructures[] = {"channel", "filter"};
constexpr FieldSpec kStructured[] = {
    {.name = "params", .type = Type::selectors, .default_value = "__ALL_PRUNABLE__", .suggested = kTokens,
     .doc = "Parameters to prune, as for GMPruningModifier."},
    kInitSparsity, kFinalSparsity, kStart, kEnd, kFrequency, kInterFunc, kLeaveEnabled,
    {.name = "mask_type", .type = Type::choice, .default_value = "filter", .choices = kStructures,
     .doc = "Structure to remove: `filter` (dimension 0) or `channel` (dimension 1)."},
    {.name = "param_groups", .type = Type::list, .default_value = "[]", .nullable = true,
     .doc = "Lists of parameters that share one mask."},
};

constexpr FieldSpec kConstant[] = {
    kParams, kOptionalStart, kOptionalEnd,
    {.name = "update_frequency", .type = Type::any, .default_value = "-1.0",
     .no_effect = "the mask is updated at every step", .doc = "No effect: the mask is updated at every step."},
};

constexpr FieldSpec kAcdc[] = {
    {.name = "compression_sparsity", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Sparsity in the compressed phases."},
    kStart, kEnd,
    {.name = "update_frequency", .type = Type::real, .required = true, .bounds = kEpochs,
     .doc = "Length of each dense or compressed phase, in whole epochs.", .unit = Unit::epochs_between},
    kParams, kGlobalSparsity, kLeaveEnabled, kMomentumReset, kMaskType,
};

constexpr FieldSpec kTopKast[] = {
    {.name = "forward_sparsity", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Sparsity of the weights in the forward pass."},
    {.name = "backward_sparsity", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Sparsity of the gradients in the backward pass."},
    kStart, kEnd, kFrequency, kParams, kGlobalSparsity, kLeaveEnabled, kMaskType,
    {.name = "active_weight_decay", .type = Type::number, .default_value = "0.0001", .phase = Moment::step,
     .doc = "Weight decay of the active weights."},
};

constexpr FieldSpec kMfac[] = {
    kUncheckedInit, kUncheckedFinal, kStart, kEnd, kFrequency, kParams, kLeaveEnabled, kInterFunc, kMaskType,
    {.name = "global_sparsity", .type = Type::truth, .default_value = "false",
     .doc = "If true, rank the weights of all parameters together."},
    {.name = "use_gradient_buffering", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "If true, collect gradients from the training steps."},
    {.name = "num_grads", .type = Type::any, .default_value = "64",
     .doc = "Number of gradients to collect, or a mapping from sparsity to such a number."},
    {.name = "damp", .type = Type::any, .default_value = "0.00001",
     .doc = "Damping factor of the inverse Fisher matrix."},
    {.name = "grads_device", .type = Type::any, .default_value = "cpu", .suggested = kGradientDevices,
     .doc = "Device on which the gradients are stored."},
    {.name = "fisher_block_size", .type = Type::any, .default_value = "2000",
     .doc = "Block size of the Fisher matrix."},
    {.name = "num_pages", .type = Type::any, .default_value = "1",
     .doc = "Number of pages that the gradients are split into."},
    {.name = "available_devices", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Devices to compute on."},
    kGradSamplerKwargs,
};

constexpr FieldSpec kObs[] = {
    kUncheckedInit, kUncheckedFinal, kStart, kEnd, kFrequency, kParams, kLeaveEnabled, kInterFunc, kGlobalSparsity,
    {.name = "mask_type", .type = Type::any, .default_value = "unstructured", .suggested = kObsMasks, .doc = "`unstructured` or `block4`."},
    {.name = "num_grads", .type = Type::any, .default_value = "1024",
     .doc = "Number of gradients to collect before each update."},
    {.name = "damp", .type = Type::real, .default_value = "0.0000001",
     .doc = "Damping factor of the inverse Fisher matrix."},
    {.name = "fisher_block_size", .type = Type::any, .default_value = "1", .doc = "Block size of the Fisher matrix."},
    kGradSamplerKwargs,
    {.name = "num_recomputations", .type = Type::any, .default_value = "1",
     .doc = "Number of linear steps into which each update is divided."},
};

constexpr std::string_view kStrategies[] = {"erdos_renyi_kernel", "erdos_renyi", "uniform"};
constexpr std::string_view kUnstructured[] = {"unstructured"};
constexpr FieldSpec kRigl[] = {
    {.name = "final_sparsity", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Overall sparsity, constant from the start."},
    kStart, kEnd, kFrequency, kParams, kLeaveEnabled, kMomentumReset,
    {.name = "num_grads", .type = Type::any, .default_value = "1",
     .doc = "Number of gradients to collect before each update."},
    {.name = "global_sparsity", .type = Type::any, .default_value = "false",
     .no_effect = "RigL always prunes each parameter separately",
     .doc = "No effect: always false."},
    {.name = "mask_type", .type = Type::choice, .default_value = "unstructured", .choices = kUnstructured,
     .doc = "Must be `unstructured`."},
    {.name = "sparsity_strategy", .type = Type::choice, .default_value = "erdos_renyi_kernel", .choices = kStrategies,
     .doc = "How the sparsity is distributed among the parameters."},
    {.name = "init_update_fraction", .type = Type::any, .default_value = "0.3",
     .doc = "Fraction of the weights replaced by the first update."},
    {.name = "grad_sampler_kwargs", .type = Type::any, .default_value = "{}", .nullable = true,
     .doc = "Arguments of the gradient sampler."},
};

constexpr FieldSpec kLayerPruning[] = {
    {.name = "layers", .type = Type::selectors, .required = true, .suggested = kTokens,
     .doc = "Layers to remove: full names, `__ALL__` or `__ALL_PRUNABLE__`. Patterns are not supported."},
    kOptionalStart, kOptionalEnd,
    {.name = "update_frequency", .type = Type::any, .default_value = "-1.0", .no_effect = "layers are removed once",
     .doc = "No effect: layers are removed once."},
};

constexpr FieldSpec kLayerThinning[] = {
    {.name = "param_group_dependency_map", .type = Type::mapping, .required = true,
     .doc = "Mapping from each group of parameters thinned together to the parameters that depend on it."},
    {.name = "structure_type", .type = Type::choice, .default_value = "filter", .choices = kStructures,
     .doc = "Structure to remove: `filter` or `channel`."},
    kOptionalStart,
    {.name = "update_epochs", .type = Type::list, .default_value = "[]",
     .doc = "Additional epochs at which layers are thinned, in ascending order.", .unit = Unit::epochs},
    {.name = "strict", .type = Type::truth, .default_value = "true",
     .doc = "If true, every parameter of the map must exist in the model."},
    kUnreadEnd,
};

constexpr FieldSpec kPowerpropagation[] = {
    kStart, kEnd, kParams,
    {.name = "alpha", .type = Type::number, .default_value = "1.0", .phase = Moment::step,
     .doc = "Exponent of the reparametrization."},
    {.name = "strict", .type = Type::truth, .default_value = "true",
     .doc = "If true, every selector must match a parameter."},
};

constexpr ClassSpec kPruning[] = {
    {"ACDCPruningModifier", ClassKind::acdc, kAcdc,
     "Alternates between dense and compressed training (AC/DC).", EndRule::not_before},
    {"ConstantPruningModifier", ClassKind::constant_pruning, kConstant,
     "Keeps weights that are already zero at zero.", EndRule::unset_or_after},
    {"GMPruningModifier", ClassKind::gradual_pruning, kGmPruning,
     "Prunes gradually by magnitude.", EndRule::unset_or_after},
    {"GlobalMagnitudePruningModifier", ClassKind::gradual_pruning, kMagnitude,
     "Prunes gradually by magnitude, ranking the weights of all parameters together.", EndRule::unset_or_after},
    {"LayerPruningModifier", ClassKind::other, kLayerPruning,
     "Replaces whole layers with the identity.", EndRule::unset_or_after},
    {"LayerThinningModifier", ClassKind::other, kLayerThinning,
     "Removes pruned filters or channels from the layers."},
    {"MFACPruningModifier", ClassKind::gradual_pruning, kMfac,
     "Prunes gradually by second-order scores (M-FAC).", EndRule::not_before},
    {"MagnitudePruningModifier", ClassKind::gradual_pruning, kMagnitude,
     "Prunes gradually by magnitude, each parameter separately.", EndRule::unset_or_after},
    {"MovementPruningModifier", ClassKind::gradual_pruning, kMagnitude,
     "Prunes gradually by the movement of the weights.", EndRule::unset_or_after},
    {"OBSPruningModifier", ClassKind::gradual_pruning, kObs,
     "Prunes gradually by second-order scores (optimal brain surgeon).", EndRule::not_before},
    {"PowerpropagationModifier", ClassKind::other, kPowerpropagation,
     "Reparametrizes weights so that small ones stay small.", EndRule::unset_or_after},
    {"RigLPruningModifier", ClassKind::rigl, kRigl,
     "Trains sparse from the start and regrows weights by their gradients (RigL).", EndRule::not_before},
    {"StructuredPruningModifier", ClassKind::gradual_pruning, kStructured,
     "Prunes whole filters or channels gradually.", EndRule::unset_or_after},
    {"TopKASTPruningModifier", ClassKind::topkast, kTopKast,
     "Trains sparse with separate forward and backward masks (Top-KAST).", EndRule::not_before},
};

std::span<const ClassSpec> pruning_modifiers() { return kPruning; }

// clang-format on

}  // namespace sparsecfg::dialect::sparseml
