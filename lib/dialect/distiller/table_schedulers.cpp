#include "dialect/distiller/codes.h"
#include "dialect/distiller/table.h"
#include "dialect/record/conditions.h"

// Table of learning rate schedulers (docs/semantics/distiller.md#b6, #c9; torch schedulers from the torch
// documentation). All counts are epochs, since Distiller steps schedulers once per epoch.
namespace sparsecfg::dialect::distiller {

// One line per field if possible.
// clang-format off
constexpr FieldSpec kVerbose{.name = "verbose", .type = Type::any, .default_value = "false",
     .doc = "Print each change of the rate."};
constexpr FieldSpec kGamma{.name = "gamma", .type = Type::number, .default_value = "0.1", .phase = Moment::step,
                           .doc = "Factor by which the learning rate is multiplied."};
constexpr FieldSpec kNeededGamma{.name = "gamma", .type = Type::number, .required = true, .phase = Moment::step,
                                 .doc = "Factor by which the learning rate is multiplied each epoch.", .unit = Unit::each_epoch};
constexpr FieldSpec kMilestones{.name = "milestones", .type = Type::list, .required = true,
     .doc = "List of epochs, counted from 0.",
                                .unit = Unit::epochs};
constexpr FieldSpec kCountedMilestones{.name = "milestones", .type = Type::list, .required = true, .nullable = true,
                                       .doc = "List of epochs, counted from 0. Null is an empty list.",
                                       .unit = Unit::epochs};
constexpr FieldSpec kLeast{.name = "eta_min", .type = Type::number, .default_value = "0", .phase = Moment::step,
                           .doc = "Minimum learning rate."};
constexpr FieldSpec kTotal{.name = "total_iters", .type = Type::number, .default_value = "5", .phase = Moment::step,
                           .doc = "Epochs until the final factor is reached.", .unit = Unit::epochs};
constexpr Bounds kFraction{.min = 0, .max = 1};

constexpr FieldSpec kStep[] = {
    {.name = "step_size", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Epochs between decays, counted from epoch 0.", .unit = Unit::epochs},
    kGamma, kVerbose};
constexpr FieldSpec kMultiStep[] = {kCountedMilestones, kGamma, kVerbose};
constexpr FieldSpec kMultiGamma[] = {
    kMilestones, {.name = "gammas", .type = Type::list, .required = true,
     .doc = "List with one factor for each milestone."}};
constexpr FieldSpec kExponential[] = {kNeededGamma, kVerbose};
constexpr FieldSpec kCosine[] = {
    {.name = "T_max", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Epochs until the minimum rate is reached. The rate rises again afterwards.", .unit = Unit::epochs},
    kLeast, kVerbose};
constexpr FieldSpec kRestarts[] = {
    {.name = "T_0", .type = Type::number, .required = true,
     .doc = "Length of the first cycle in epochs. An int above 0.", .unit = Unit::epochs},
    {.name = "T_mult", .type = Type::number, .default_value = "1",
     .doc = "Factor by which each cycle is longer than the one before. An int, 1 or more."},
    kLeast, kVerbose};
constexpr FieldSpec kPolynomial[] = {
    {.name = "T_max", .type = Type::number, .required = true,
     .doc = "Epochs until the rate reaches 0.", .unit = Unit::epochs},
    {.name = "power", .type = Type::number, .required = true, .doc = "Degree of the polynomial."}};
constexpr FieldSpec kConstantFactor[] = {
    {.name = "factor", .type = Type::number, .default_value = "0.3333333333333333", .bounds = kFraction,
     .doc = "Initial factor of the learning rate."},
    kTotal, kVerbose};
constexpr FieldSpec kLinearFactor[] = {
    {.name = "start_factor", .type = Type::number, .default_value = "0.3333333333333333", .bounds = kFraction,
     .doc = "Initial factor of the learning rate. Applied when the scheduler is built."},
    {.name = "end_factor", .type = Type::number, .default_value = "1.0", .bounds = kFraction, .doc = "Final factor."},
    kTotal, kVerbose};
constexpr std::string_view kDirections[] = {"min", "max"};
constexpr std::string_view kThresholdModes[] = {"rel", "abs"};
constexpr FieldSpec kPlateau[] = {
    {.name = "mode", .type = Type::choice, .default_value = "min", .choices = kDirections,
     .doc = "`min` if the monitored value should fall (loss), `max` if it should rise (accuracy)."},
    {.name = "factor", .type = Type::number, .default_value = "0.1", .bounds = {.max = 1, .max_excluded = true},
     .doc = "Factor by which the learning rate is multiplied. Must be below 1."},
    {.name = "patience", .type = Type::number, .default_value = "10", .phase = Moment::step,
     .doc = "Epochs without progress before the rate is reduced.",
     .unit = Unit::epochs},
    {.name = "threshold", .type = Type::number, .default_value = "0.0001", .phase = Moment::step,
     .doc = "Minimum change that counts as progress."},
    {.name = "threshold_mode", .type = Type::choice, .default_value = "rel", .choices = kThresholdModes, .doc = "`rel` or `abs`."},
    {.name = "cooldown", .type = Type::number, .default_value = "0", .phase = Moment::step,
     .doc = "Epochs to wait after a change.", .unit = Unit::epochs},
    {.name = "min_lr", .type = Type::any, .default_value = "0", .doc = "Minimum learning rate."},
    {.name = "eps", .type = Type::number, .default_value = "1.0e-8", .phase = Moment::step,
     .doc = "Minimum change of the rate; smaller changes are skipped."},
    kVerbose};
constexpr std::string_view kPlateauModes[] = {"triangular", "triangular2", "exp_range"};
constexpr std::string_view kScaleModes[] = {"cycle", "iterations"};
constexpr Unsupported kScaleFunctions[] = {{is::given, diag::function_in_schedule, true}};
constexpr FieldSpec kCyclic[] = {
    {.name = "base_lr", .type = Type::number, .required = true,
     .doc = "Minimum learning rate. Applied when the scheduler is built."},
    {.name = "max_lr", .type = Type::number, .required = true, .doc = "Maximum learning rate."},
    {.name = "step_size_up", .type = Type::number, .default_value = "2000",
     .doc = "Epochs in the rising half of a cycle. torch documents it as batches.", .unit = Unit::epochs},
    {.name = "step_size_down", .type = Type::number, .default_value = "null", .nullable = true,
     .doc = "Epochs in the falling half of a cycle. null uses `step_size_up`.",
     .unit = Unit::epochs},
    {.name = "mode", .type = Type::choice, .default_value = "triangular", .choices = kPlateauModes,
     .doc = "Shape of later cycles."},
    {.name = "gamma", .type = Type::number, .default_value = "1.0",
     .doc = "Factor per epoch for `exp_range`.", .unit = Unit::each_epoch},
    {.name = "scale_fn", .type = Type::any, .default_value = "null", .nullable = true, .unsupported = kScaleFunctions,
     .doc = "A Python callable. Cannot be set in a file."},
    {.name = "scale_mode", .type = Type::any, .default_value = "cycle", .suggested = kScaleModes,
     .doc = "Argument of `scale_fn`. Ignored without `scale_fn`."},
    {.name = "cycle_momentum", .type = Type::truth, .default_value = "true",
     .doc = "Also cycle the momentum of the optimizer."},
    {.name = "base_momentum", .type = Type::any, .default_value = "0.8", .doc = "Minimum momentum."},
    {.name = "max_momentum", .type = Type::any, .default_value = "0.9", .doc = "Maximum momentum."},
    kVerbose};
constexpr std::string_view kAnneal[] = {"cos", "linear"};
constexpr FieldSpec kOneCycle[] = {
    {.name = "max_lr", .type = Type::number, .required = true, .doc = "Maximum learning rate."},
    {.name = "total_steps", .type = Type::number, .default_value = "null", .nullable = true,
     .doc = "Length of the cycle in epochs. torch documents it as batches. Training fails after the cycle.", .unit = Unit::epochs},
    {.name = "epochs", .type = Type::number, .default_value = "null", .nullable = true,
     .doc = "Together with `steps_per_epoch`, replaces `total_steps`.",
     .unit = Unit::epochs},
    {.name = "steps_per_epoch", .type = Type::number, .default_value = "null", .nullable = true,
     .doc = "Together with `epochs`, replaces `total_steps`."},
    {.name = "pct_start", .type = Type::exact_float, .default_value = "0.3", .bounds = kFraction,
     .doc = "Fraction of the cycle in which the rate rises."},
    {.name = "anneal_strategy", .type = Type::choice, .default_value = "cos", .choices = kAnneal,
     .doc = "Shape of the curve in each phase."},
    {.name = "cycle_momentum", .type = Type::truth, .default_value = "true",
     .doc = "Also cycle the momentum of the optimizer."},
    {.name = "base_momentum", .type = Type::any, .default_value = "0.85", .doc = "Minimum momentum."},
    {.name = "max_momentum", .type = Type::any, .default_value = "0.95", .doc = "Maximum momentum."},
    {.name = "div_factor", .type = Type::number, .default_value = "25.0",
     .doc = "The initial rate is `max_lr` divided by this."},
    {.name = "final_div_factor", .type = Type::number, .default_value = "10000.0",
     .doc = "The final rate is the initial rate divided by this."},
    {.name = "three_phase", .type = Type::truth, .default_value = "false",
     .doc = "Lower the rate in two phases instead of one."},
    kVerbose};
constexpr FieldSpec kLambda[] = {
    {.name = "lr_lambda", .type = Type::any, .required = true,
     .doc = "A Python callable. Cannot be set in a file."}, kVerbose};
constexpr FieldSpec kSchedulers[] = {
    {.name = "schedulers", .type = Type::any, .required = true, .doc = "Scheduler objects. Cannot be set in a file."}};
constexpr FieldSpec kSequence[] = {
    {.name = "schedulers", .type = Type::any, .required = true, .doc = "Scheduler objects. Cannot be set in a file."},
    {.name = "milestones", .type = Type::list, .required = true, .doc = "Epochs.", .unit = Unit::epochs}, kVerbose};

constexpr std::string_view kNeedsFunction = "it requires a Python function";
constexpr std::string_view kNeedsObjects = "it requires scheduler objects";

constexpr ClassSpec kRows[] = {
    {.name = "ChainedScheduler", .kind = ClassKind::unusable, .fields = kSchedulers,
     .doc = "Several schedulers at the same time.", .section = Section::lr_schedulers, .criterion = kNeedsObjects},
    {.name = "ConstantLR", .kind = ClassKind::constant_factor, .fields = kConstantFactor,
     .doc = "Reduced rate until a given epoch.", .section = Section::lr_schedulers},
    {.name = "CosineAnnealingLR", .kind = ClassKind::cosine, .fields = kCosine,
     .doc = "Cosine decay, followed by a cosine rise.", .section = Section::lr_schedulers},
    {.name = "CosineAnnealingWarmRestarts", .kind = ClassKind::warm_restarts, .fields = kRestarts,
     .doc = "Repeated cosine decay with restarts.", .section = Section::lr_schedulers},
    {.name = "CyclicLR", .kind = ClassKind::cyclic, .fields = kCyclic,
     .doc = "Triangular cycles between two rates.", .section = Section::lr_schedulers},
    {.name = "ExponentialLR", .kind = ClassKind::exponential, .fields = kExponential,
     .doc = "Decay by a constant factor each epoch.", .section = Section::lr_schedulers},
    {.name = "LambdaLR", .kind = ClassKind::unusable, .fields = kLambda,
     .doc = "Rate computed by a function of the epoch.", .section = Section::lr_schedulers, .criterion = kNeedsFunction},
    {.name = "LinearLR", .kind = ClassKind::linear_factor, .fields = kLinearFactor,
     .doc = "Linearly changing factor.", .section = Section::lr_schedulers},
    {.name = "MultiplicativeLR", .kind = ClassKind::unusable, .fields = kLambda,
     .doc = "Factor computed by a function of the epoch.", .section = Section::lr_schedulers, .criterion = kNeedsFunction},
    {.name = "MultiStepLR", .kind = ClassKind::multi_step, .fields = kMultiStep,
     .doc = "Decay by a factor at each milestone.", .section = Section::lr_schedulers},
    {.name = "MultiStepMultiGammaLR", .kind = ClassKind::multi_gamma, .fields = kMultiGamma,
     .doc = "Decay by a separate factor at each milestone.", .section = Section::lr_schedulers},
    {.name = "OneCycleLR", .kind = ClassKind::one_cycle, .fields = kOneCycle,
     .doc = "One cycle that rises to a maximum rate and falls again.", .section = Section::lr_schedulers},
    {.name = "PolynomialLR", .kind = ClassKind::polynomial, .fields = kPolynomial,
     .doc = "Polynomial decay to 0 (the Distiller class, not the torch class).", .section = Section::lr_schedulers},
    {.name = "ReduceLROnPlateau", .kind = ClassKind::plateau, .fields = kPlateau,
     .doc = "Decay when the validation metric stops improving.", .section = Section::lr_schedulers},
    {.name = "SequentialLR", .kind = ClassKind::unusable, .fields = kSequence,
     .doc = "Several schedulers one after the other.", .section = Section::lr_schedulers, .criterion = kNeedsObjects},
    {.name = "StepLR", .kind = ClassKind::step, .fields = kStep,
     .doc = "Decay by a factor at a fixed interval of epochs.", .section = Section::lr_schedulers},
};

std::span<const ClassSpec> scheduler_classes() { return kRows; }

// clang-format on

}  // namespace sparsecfg::dialect::distiller
