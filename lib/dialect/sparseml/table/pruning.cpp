#include "dialect/sparseml/table/parts.h"

// Modifiers that prune. Facts: reference/sparseml.md B.3 and B.4.
namespace sparsecfg::dialect::sparseml {

// A field is a line where it can be.
// clang-format off
constexpr FieldSpec kFinalSparsity{
    .name = "final_sparsity", .type = Type::real, .required = true, .bounds = kInnerFraction, .by_selector = true,
    .doc = "Sparsity at the end, between 0.0 and 1.0, or a mapping from sparsity to a list of selectors."};
// MFAC and OBS check neither type nor range of these until they prune.
constexpr FieldSpec kUncheckedInit{
    .name = "init_sparsity", .type = Type::number, .required = true, .token = "__FROM_PARAM__", .phase = Moment::step,
    .doc = "Sparsity at the start, or `__FROM_PARAM__`: what each parameter has already."};
constexpr FieldSpec kUncheckedFinal{
    .name = "final_sparsity", .type = Type::real, .required = true, .by_selector = true, .phase = Moment::initialize,
    .doc = "Sparsity at the end, or a mapping from sparsity to a list of selectors."};

constexpr FieldSpec kGmPruning[] = {
    kParams, kInitSparsity, kFinalSparsity, kStart, kEnd, kFrequency, kInterFunc, kMaskType, kLeaveEnabled,
    {.name = "global_sparsity", .type = Type::boolean, .default_value = "false",
     .doc = "Deprecated: GlobalMagnitudePruningModifier does this."},
    {.name = "phased", .type = Type::boolean, .default_value = "false",
     .doc = "Removed: ACDCPruningModifier does this."},
    {.name = "score_type", .type = Type::any, .default_value = "magnitude",
     .doc = "Removed but for `magnitude`: each method has a modifier of its own."},
};
constexpr FieldSpec kMagnitude[] = {kParams, kInitSparsity, kFinalSparsity, kStart, kEnd, kFrequency,
                                    kInterFunc, kMaskType, kLeaveEnabled};

constexpr std::string_view kStructures[] = {"channel", "filter"};
constexpr FieldSpec kStructured[] = {
    {.name = "params", .type = Type::selectors, .default_value = "__ALL_PRUNABLE__",
     .doc = "Parameters to prune, as for GMPruningModifier."},
    kInitSparsity, kFinalSparsity, kStart, kEnd, kFrequency, kInterFunc, kLeaveEnabled,
    {.name = "mask_type", .type = Type::choice, .default_value = "filter", .choices = kStructures,
     .doc = "What is removed as a whole: `filter` (dimension 0) or `channel` (dimension 1)."},
    {.name = "param_groups", .type = Type::list, .default_value = "[]", .nullable = true,
     .doc = "Lists of parameters that are pruned alike."},
};

constexpr FieldSpec kConstant[] = {
    kParams, kOptionalStart, kOptionalEnd,
    {.name = "update_frequency", .type = Type::any, .default_value = "-1.0",
     .no_effect = "the mask is renewed at every step", .doc = "Without effect: the mask is renewed at every step."},
};

constexpr FieldSpec kAcdc[] = {
    {.name = "compression_sparsity", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Sparsity of the compressed phases."},
    kStart, kEnd,
    {.name = "update_frequency", .type = Type::epoch, .required = true, .bounds = kEpochs,
     .doc = "Whole epochs of one phase, dense or compressed.", .unit = Unit::epochs_between},
    kParams, kGlobalSparsity, kLeaveEnabled, kMomentumReset, kMaskType,
};

constexpr FieldSpec kTopKast[] = {
    {.name = "forward_sparsity", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Sparsity of the weights in the forward pass."},
    {.name = "backward_sparsity", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Sparsity of the gradients in the backward pass."},
    kStart, kEnd, kFrequency, kParams, kGlobalSparsity, kLeaveEnabled, kMaskType,
    {.name = "active_weight_decay", .type = Type::number, .default_value = "0.0001", .phase = Moment::step,
     .doc = "Weight decay of the weights that are in use."},
};

constexpr FieldSpec kMfac[] = {
    kUncheckedInit, kUncheckedFinal, kStart, kEnd, kFrequency, kParams, kLeaveEnabled, kInterFunc, kMaskType,
    {.name = "global_sparsity", .type = Type::boolean, .default_value = "false",
     .doc = "Whether the weights of all parameters are ranked together."},
    {.name = "use_gradient_buffering", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Whether gradients are gathered from the training itself."},
    {.name = "num_grads", .type = Type::any, .default_value = "64",
     .doc = "Gradients to gather: a number, or a mapping from sparsity to a number."},
    {.name = "damp", .type = Type::any, .default_value = "0.00001", .doc = "Damping of the inverse Fisher matrix."},
    {.name = "grads_device", .type = Type::any, .default_value = "cpu", .doc = "Device that holds the gradients."},
    {.name = "fisher_block_size", .type = Type::any, .default_value = "2000", .doc = "Size of the Fisher matrix's blocks."},
    {.name = "num_pages", .type = Type::any, .default_value = "1", .doc = "Pages that the gradients are split into."},
    {.name = "available_devices", .type = Type::any, .default_value = "null", .nullable = true, .doc = "Devices to compute on."},
    kGradSamplerKwargs,
};

constexpr FieldSpec kObs[] = {
    kUncheckedInit, kUncheckedFinal, kStart, kEnd, kFrequency, kParams, kLeaveEnabled, kInterFunc, kGlobalSparsity,
    {.name = "mask_type", .type = Type::any, .default_value = "unstructured", .doc = "`unstructured` or `block4`."},
    {.name = "num_grads", .type = Type::any, .default_value = "1024", .doc = "Gradients to gather before each update."},
    {.name = "damp", .type = Type::rate, .default_value = "0.0000001", .doc = "Damping of the inverse Fisher matrix."},
    {.name = "fisher_block_size", .type = Type::any, .default_value = "1", .doc = "Size of the Fisher matrix's blocks."},
    kGradSamplerKwargs,
    {.name = "num_recomputations", .type = Type::any, .default_value = "1",
     .doc = "Steps that each update is divided into, linearly."},
};

constexpr std::string_view kStrategies[] = {"erdos_renyi_kernel", "erdos_renyi", "uniform"};
constexpr std::string_view kUnstructured[] = {"unstructured"};
constexpr FieldSpec kRigl[] = {
    {.name = "final_sparsity", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Sparsity over all parameters, constant from the start."},
    kStart, kEnd, kFrequency, kParams, kLeaveEnabled, kMomentumReset,
    {.name = "num_grads", .type = Type::any, .default_value = "1", .doc = "Gradients to gather before each update."},
    {.name = "global_sparsity", .type = Type::any, .default_value = "false", .no_effect = "RigL always prunes by parameter",
     .doc = "Without effect: always false."},
    {.name = "mask_type", .type = Type::choice, .default_value = "unstructured", .choices = kUnstructured,
     .doc = "Only `unstructured`."},
    {.name = "sparsity_strategy", .type = Type::choice, .default_value = "erdos_renyi_kernel", .choices = kStrategies,
     .doc = "How the sparsity is shared out among the parameters."},
    {.name = "init_update_fraction", .type = Type::any, .default_value = "0.3",
     .doc = "Fraction of the weights that the first update exchanges."},
    {.name = "grad_sampler_kwargs", .type = Type::any, .default_value = "{}", .nullable = true,
     .doc = "Arguments for the sampler of gradients."},
};

constexpr FieldSpec kLayerPruning[] = {
    {.name = "layers", .type = Type::selectors, .required = true,
     .doc = "Layers: full names, `__ALL__` or `__ALL_PRUNABLE__`; no patterns."},
    kOptionalStart, kOptionalEnd,
    {.name = "update_frequency", .type = Type::any, .default_value = "-1.0", .no_effect = "layers are removed once",
     .doc = "Without effect: layers are removed once."},
};

constexpr FieldSpec kLayerThinning[] = {
    {.name = "param_group_dependency_map", .type = Type::any, .required = true,
     .doc = "Groups of parameters that are thinned together, to those that depend on them."},
    {.name = "structure_type", .type = Type::choice, .default_value = "filter", .choices = kStructures,
     .doc = "What is cut out: `filter` or `channel`."},
    kOptionalStart,
    {.name = "update_epochs", .type = Type::list, .default_value = "[]",
     .doc = "Further epochs at which layers are thinned, ascending.", .unit = Unit::epochs},
    {.name = "strict", .type = Type::boolean, .default_value = "true",
     .doc = "Whether every parameter of the map must exist."},
    kIgnoredEnd,
};

constexpr FieldSpec kPowerpropagation[] = {
    kStart, kEnd, kParams,
    {.name = "alpha", .type = Type::number, .default_value = "1.0", .phase = Moment::step,
     .doc = "Exponent of the reparametrization."},
    {.name = "strict", .type = Type::boolean, .default_value = "true",
     .doc = "Whether every selector must take a parameter."},
};

constexpr ModifierSpec kPruning[] = {
    {"ACDCPruningModifier", Meaning::acdc, EndRule::not_before, kAcdc,
     "Alternates between dense and compressed training (AC/DC)."},
    {"ConstantPruningModifier", Meaning::constant_pruning, EndRule::unset_or_after, kConstant,
     "Keeps the zeros that the parameters have."},
    {"GMPruningModifier", Meaning::gradual_pruning, EndRule::unset_or_after, kGmPruning,
     "Prunes gradually by magnitude."},
    {"GlobalMagnitudePruningModifier", Meaning::gradual_pruning, EndRule::unset_or_after, kMagnitude,
     "Prunes gradually by magnitude, all parameters ranked together."},
    {"LayerPruningModifier", Meaning::other, EndRule::unset_or_after, kLayerPruning,
     "Replaces whole layers by the identity."},
    {"LayerThinningModifier", Meaning::other, EndRule::none, kLayerThinning,
     "Cuts pruned filters or channels out of the layers."},
    {"MFACPruningModifier", Meaning::gradual_pruning, EndRule::not_before, kMfac,
     "Prunes gradually by second-order scores (M-FAC)."},
    {"MagnitudePruningModifier", Meaning::gradual_pruning, EndRule::unset_or_after, kMagnitude,
     "Prunes gradually by magnitude, each parameter by itself."},
    {"MovementPruningModifier", Meaning::gradual_pruning, EndRule::unset_or_after, kMagnitude,
     "Prunes gradually by the movement of the weights."},
    {"OBSPruningModifier", Meaning::gradual_pruning, EndRule::not_before, kObs,
     "Prunes gradually by second-order scores (optimal brain surgeon)."},
    {"PowerpropagationModifier", Meaning::other, EndRule::unset_or_after, kPowerpropagation,
     "Reparametrizes weights so that small ones stay small."},
    {"RigLPruningModifier", Meaning::rigl, EndRule::not_before, kRigl,
     "Trains sparse from the start, exchanging weights by their gradients (RigL)."},
    {"StructuredPruningModifier", Meaning::gradual_pruning, EndRule::unset_or_after, kStructured,
     "Prunes whole filters or channels gradually."},
    {"TopKASTPruningModifier", Meaning::topkast, EndRule::not_before, kTopKast,
     "Trains sparse with separate forward and backward masks (Top-KAST)."},
};

std::span<const ModifierSpec> pruning_modifiers() { return kPruning; }

// clang-format on

}  // namespace sparsecfg::dialect::sparseml
