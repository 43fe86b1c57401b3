#include "dialect/distiller/table.h"

// Schedulers of the learning rate (reference/distiller.md B.6 and C.9; the others of torch's from its
// own documentation). All counts are epochs, since Distiller steps them once an epoch.
namespace sparsecfg::dialect::distiller {

// A field is a line where it can be.
// clang-format off
constexpr FieldSpec kVerbose{.name = "verbose", .type = Type::any, .default_value = "false", .doc = "Whether each change is printed."};
constexpr FieldSpec kGamma{.name = "gamma", .type = Type::number, .default_value = "0.1", .phase = Moment::step,
                           .doc = "Factor of the learning rate."};
constexpr FieldSpec kNeededGamma{.name = "gamma", .type = Type::number, .required = true, .phase = Moment::step,
                                 .doc = "Factor of the learning rate for each epoch.", .unit = Unit::each_epoch};
constexpr FieldSpec kMilestones{.name = "milestones", .type = Type::list, .required = true, .doc = "Epochs, counted from 0.",
                                .unit = Unit::epochs};
constexpr FieldSpec kLeast{.name = "eta_min", .type = Type::number, .default_value = "0", .phase = Moment::step,
                           .doc = "Least learning rate."};
constexpr FieldSpec kTotal{.name = "total_iters", .type = Type::number, .default_value = "5", .phase = Moment::step,
                           .doc = "Epochs until the factor has arrived.", .unit = Unit::epochs};
constexpr Bounds kFraction{.min = 0, .max = 1};

constexpr FieldSpec kStep[] = {
    {.name = "step_size", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Epochs from one decay to the next, counted from epoch 0.", .unit = Unit::epochs},
    kGamma, kVerbose};
constexpr FieldSpec kMultiStep[] = {kMilestones, kGamma, kVerbose};
constexpr FieldSpec kMultiGamma[] = {
    kMilestones, {.name = "gammas", .type = Type::list, .required = true, .doc = "A factor for each milestone."}};
constexpr FieldSpec kExponential[] = {kNeededGamma, kVerbose};
constexpr FieldSpec kCosine[] = {
    {.name = "T_max", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Epochs down to the least rate; then it rises again.", .unit = Unit::epochs},
    kLeast, kVerbose};
constexpr FieldSpec kRestarts[] = {
    {.name = "T_0", .type = Type::number, .required = true, .doc = "Epochs of the first cycle, an int above 0.", .unit = Unit::epochs},
    {.name = "T_mult", .type = Type::number, .default_value = "1", .doc = "How many times as long each next cycle is, an int from 1 on."},
    kLeast, kVerbose};
constexpr FieldSpec kPolynomial[] = {
    {.name = "T_max", .type = Type::number, .required = true, .doc = "Epochs down to 0.", .unit = Unit::epochs},
    {.name = "power", .type = Type::number, .required = true, .doc = "Degree of the polynomial."}};
constexpr FieldSpec kConstantFactor[] = {
    {.name = "factor", .type = Type::number, .default_value = "0.3333333333333333", .bounds = kFraction,
     .doc = "Factor of the learning rate at first."},
    kTotal, kVerbose};
constexpr FieldSpec kLinearFactor[] = {
    {.name = "start_factor", .type = Type::number, .default_value = "0.3333333333333333", .bounds = kFraction,
     .doc = "Factor of the learning rate at first, in force as soon as the scheduler is built."},
    {.name = "end_factor", .type = Type::number, .default_value = "1.0", .bounds = kFraction, .doc = "Factor at last."},
    kTotal, kVerbose};
constexpr FieldSpec kPlateau[] = {
    {.name = "mode", .type = Type::any, .default_value = "min", .doc = "min: follow the validation loss; max: follow the accuracy."},
    {.name = "factor", .type = Type::number, .default_value = "0.1", .doc = "Factor of the learning rate, below 1."},
    {.name = "patience", .type = Type::number, .default_value = "10", .phase = Moment::step, .doc = "Epochs without progress before it.",
     .unit = Unit::epochs},
    {.name = "threshold", .type = Type::number, .default_value = "0.0001", .phase = Moment::step, .doc = "What counts as progress."},
    {.name = "threshold_mode", .type = Type::any, .default_value = "rel", .doc = "rel or abs."},
    {.name = "cooldown", .type = Type::number, .default_value = "0", .phase = Moment::step, .doc = "Epochs of rest after a change.", .unit = Unit::epochs},
    {.name = "min_lr", .type = Type::any, .default_value = "0", .doc = "Least learning rate."},
    {.name = "eps", .type = Type::number, .default_value = "1.0e-8", .phase = Moment::step, .doc = "Least change that is made."},
    kVerbose};
constexpr std::string_view kPlateauModes[] = {"triangular", "triangular2", "exp_range"};
constexpr FieldSpec kCyclic[] = {
    {.name = "base_lr", .type = Type::number, .required = true, .doc = "Least learning rate, in force as soon as the scheduler is built."},
    {.name = "max_lr", .type = Type::number, .required = true, .doc = "Greatest learning rate."},
    {.name = "step_size_up", .type = Type::number, .default_value = "2000", .doc = "Epochs up, where torch speaks of batches.", .unit = Unit::epochs},
    {.name = "step_size_down", .type = Type::number, .default_value = "null", .nullable = true, .doc = "Epochs down; null: as up.",
     .unit = Unit::epochs},
    {.name = "mode", .type = Type::choice, .default_value = "triangular", .choices = kPlateauModes, .doc = "What becomes of later cycles."},
    {.name = "gamma", .type = Type::number, .default_value = "1.0", .doc = "Factor of exp_range.", .unit = Unit::each_epoch},
    {.name = "scale_fn", .type = Type::any, .default_value = "null", .nullable = true, .doc = "A Python callable; a file can't give one."},
    {.name = "scale_mode", .type = Type::any, .default_value = "cycle", .doc = "Only for `scale_fn`."},
    {.name = "cycle_momentum", .type = Type::boolean, .default_value = "true", .doc = "Whether the optimizer's momentum is moved too."},
    {.name = "base_momentum", .type = Type::any, .default_value = "0.8", .doc = "Least momentum."},
    {.name = "max_momentum", .type = Type::any, .default_value = "0.9", .doc = "Greatest momentum."},
    kVerbose};
constexpr std::string_view kAnneal[] = {"cos", "linear"};
constexpr FieldSpec kOneCycle[] = {
    {.name = "max_lr", .type = Type::number, .required = true, .doc = "Greatest learning rate."},
    {.name = "total_steps", .type = Type::number, .default_value = "null", .nullable = true,
     .doc = "Epochs of the cycle, where torch speaks of batches; later ones stop the training.", .unit = Unit::epochs},
    {.name = "epochs", .type = Type::number, .default_value = "null", .nullable = true, .doc = "With `steps_per_epoch` in place of `total_steps`.",
     .unit = Unit::epochs},
    {.name = "steps_per_epoch", .type = Type::number, .default_value = "null", .nullable = true, .doc = "With `epochs` in place of `total_steps`."},
    {.name = "pct_start", .type = Type::number, .default_value = "0.3", .bounds = kFraction, .doc = "Share of the cycle that goes up."},
    {.name = "anneal_strategy", .type = Type::choice, .default_value = "cos", .choices = kAnneal, .doc = "Course of each phase."},
    {.name = "cycle_momentum", .type = Type::boolean, .default_value = "true", .doc = "Whether the optimizer's momentum is moved too."},
    {.name = "base_momentum", .type = Type::any, .default_value = "0.85", .doc = "Least momentum."},
    {.name = "max_momentum", .type = Type::any, .default_value = "0.95", .doc = "Greatest momentum."},
    {.name = "div_factor", .type = Type::number, .default_value = "25.0", .doc = "What `max_lr` is divided by for the first rate."},
    {.name = "final_div_factor", .type = Type::number, .default_value = "10000.0", .doc = "What the first rate is divided by for the last one."},
    {.name = "three_phase", .type = Type::boolean, .default_value = "false", .doc = "Whether the way down has two phases."},
    kVerbose};
constexpr FieldSpec kLambda[] = {
    {.name = "lr_lambda", .type = Type::any, .required = true, .doc = "A Python callable; a file can't give one."}, kVerbose};
constexpr FieldSpec kSchedulers[] = {
    {.name = "schedulers", .type = Type::any, .required = true, .doc = "Scheduler objects; a file can't give them."}};
constexpr FieldSpec kSequence[] = {
    {.name = "schedulers", .type = Type::any, .required = true, .doc = "Scheduler objects; a file can't give them."},
    {.name = "milestones", .type = Type::list, .required = true, .doc = "Epochs.", .unit = Unit::epochs}, kVerbose};

constexpr std::string_view kNeedsFunction = "it needs a Python function, which a file can't give";
constexpr std::string_view kNeedsObjects = "it needs scheduler objects, which a file can't give";

constexpr ClassSpec kRows[] = {
    {"ChainedScheduler", Section::lr_schedulers, Meaning::unusable, kSchedulers, "Several schedulers at once.", kNeedsObjects},
    {"ConstantLR", Section::lr_schedulers, Meaning::constant_factor, kConstantFactor, "A smaller rate until an epoch."},
    {"CosineAnnealingLR", Section::lr_schedulers, Meaning::cosine, kCosine, "Half a cosine down, and up again."},
    {"CosineAnnealingWarmRestarts", Section::lr_schedulers, Meaning::warm_restarts, kRestarts, "Half cosines down, one after the other."},
    {"CyclicLR", Section::lr_schedulers, Meaning::cyclic, kCyclic, "Triangles between two rates."},
    {"ExponentialLR", Section::lr_schedulers, Meaning::exponential, kExponential, "A decay by the same factor each epoch."},
    {"LambdaLR", Section::lr_schedulers, Meaning::unusable, kLambda, "A function of the epoch.", kNeedsFunction},
    {"LinearLR", Section::lr_schedulers, Meaning::linear_factor, kLinearFactor, "A factor that changes linearly."},
    {"MultiplicativeLR", Section::lr_schedulers, Meaning::unusable, kLambda, "A function of the epoch as factor.", kNeedsFunction},
    {"MultiStepLR", Section::lr_schedulers, Meaning::multi_step, kMultiStep, "A decay at each milestone."},
    {"MultiStepMultiGammaLR", Section::lr_schedulers, Meaning::multi_gamma, kMultiGamma, "A decay of its own at each milestone."},
    {"OneCycleLR", Section::lr_schedulers, Meaning::one_cycle, kOneCycle, "Up to a greatest rate and down again."},
    {"PolynomialLR", Section::lr_schedulers, Meaning::polynomial, kPolynomial, "A polynomial down to 0 (Distiller's own class of that name)."},
    {"ReduceLROnPlateau", Section::lr_schedulers, Meaning::plateau, kPlateau, "A decay when the validation makes no progress."},
    {"SequentialLR", Section::lr_schedulers, Meaning::unusable, kSequence, "Several schedulers one after the other.", kNeedsObjects},
    {"StepLR", Section::lr_schedulers, Meaning::step, kStep, "A decay each so many epochs."},
};

std::span<const ClassSpec> scheduler_classes() { return kRows; }

// clang-format on

}  // namespace sparsecfg::dialect::distiller
