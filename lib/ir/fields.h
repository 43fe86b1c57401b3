#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>

#include "ir/recipe.h"
#include "ir/reflection.h"

// The fields of every IR type and the names of every enumerator, in one place. The JSON writer, the JSON reader and the
// schema generator use these tables.
namespace sparsecfg::ir {

// --- selectors -----------------------------------------------------------------------------------------

template <>
inline constexpr Names<7> kNames<model::Term::Kind> = {"all",     "all_prunable", "all_quantizable", "exact",
                                                       "pattern", "part",         "module_type"};
template <>
inline constexpr Names<4> kNames<model::Selector::Over> = {"parameters", "layers", "either", "modules"};

template <>
inline constexpr std::size_t kWithoutRow<model::Term> = 1;  // span
template <>
inline constexpr auto kFields<model::Term> = std::tuple(always("kind", &model::Term::kind),
                                                        always("text", &model::Term::text),
                                                        unusual("required", &model::Term::required));
template <>
inline constexpr auto kFields<model::Selector> = std::tuple(always("over", &model::Selector::over),
                                                            always("strict", &model::Selector::strict),
                                                            always("terms", &model::Selector::terms),
                                                            unusual("needs_one", &model::Selector::needs_one),
                                                            unusual("drops", &model::Selector::drops),
                                                            unusual("excluded", &model::Selector::excluded),
                                                            unusual("tensor", &model::Selector::tensor));

// --- sparsity ------------------------------------------------------------------------------------------

template <>
inline constexpr Names<3> kNames<Shape> = {"linear", "cubic", "inverse_cubic"};
template <>
inline constexpr Names<5> kNames<Structure::Kind> = {"unstructured", "block", "n_of_m", "filter", "channel"};
template <>
inline constexpr Names<17> kNames<Expression::Operation> = {
    "number", "epoch", "add",           "subtract", "multiply", "divide", "floor_divide", "modulo", "power",
    "negate", "less",  "less_or_equal", "equal",    "negation", "both",   "either",       "choose"};

template <>
inline constexpr auto kFields<Ramp> = std::tuple(always("from", &Ramp::from), always("shape", &Ramp::shape));
template <>
inline constexpr auto kFields<Alternation> = std::tuple();
template <>
inline constexpr auto kFields<ForwardBackward> = std::tuple(always("backward", &ForwardBackward::backward));
template <>
inline constexpr auto kFields<Distributed> = std::tuple(always("strategy", &Distributed::strategy));
template <>
inline constexpr auto kFields<PowerRamp> = std::tuple(always("from", &PowerRamp::from),
                                                      always("exponent", &PowerRamp::exponent),
                                                      always("decays", &PowerRamp::decays));
template <>
inline constexpr auto kFields<PiecewiseConstant::Stair> = std::tuple(always("epoch", &PiecewiseConstant::Stair::epoch),
                                                                     always("sparsity",
                                                                            &PiecewiseConstant::Stair::sparsity));
template <>
inline constexpr auto kFields<PiecewiseConstant> = std::tuple(always("from", &PiecewiseConstant::from),
                                                              always("stairs", &PiecewiseConstant::stairs));
template <>
inline constexpr auto kFields<Expression::Step> = std::tuple(always("operation", &Expression::Step::operation),
                                                             unusual("number", &Expression::Step::number));
template <>
inline constexpr auto kFields<Expression> = std::tuple(always("steps", &Expression::steps));
template <>
inline constexpr auto kFields<Constant> = std::tuple();
template <>
inline constexpr auto kFields<EpochCurve> = std::tuple(always("from", &EpochCurve::from));
template <>
inline constexpr std::size_t kWithoutRow<Structure> = 1;  // span
template <>
inline constexpr auto kFields<Structure> = std::tuple(always("kind", &Structure::kind), unusual("n", &Structure::n),
                                                      unusual("m", &Structure::m),
                                                      unusual("padded", &Structure::padded),
                                                      unusual("group", &Structure::group));
template <>
inline constexpr auto kFields<Target> = std::tuple(always("sparsity", &Target::sparsity),
                                                   always("selector", &Target::selector), unusual("min", &Target::min),
                                                   unusual("max", &Target::max));

// --- learning rates ------------------------------------------------------------------------------------

template <>
inline constexpr Names<3> kNames<LearningRateCurve::Kind> = {"linear", "cosine", "cyclic_linear"};
template <>
inline constexpr Names<3> kNames<TorchScheduler::Kind> = {"step", "multi_step", "cosine_warm_restarts"};
template <>
inline constexpr Names<3> kNames<Cyclic::Mode> = {"triangular", "triangular2", "exp_range"};

template <>
inline constexpr auto kFields<StepDecay> = std::tuple(always("epochs", &StepDecay::epochs),
                                                      always("gamma", &StepDecay::gamma));
template <>
inline constexpr auto kFields<MilestoneDecay> = std::tuple(always("milestones", &MilestoneDecay::milestones),
                                                           always("gamma", &MilestoneDecay::gamma));
template <>
inline constexpr auto kFields<MilestoneFactors> = std::tuple(always("milestones", &MilestoneFactors::milestones),
                                                             always("gammas", &MilestoneFactors::gammas));
template <>
inline constexpr auto kFields<ExponentialDecay> = std::tuple(always("gamma", &ExponentialDecay::gamma));
template <>
inline constexpr auto kFields<CosineAnnealing> = std::tuple(always("epochs", &CosineAnnealing::epochs),
                                                            always("min", &CosineAnnealing::min));
template <>
inline constexpr auto kFields<CosineRestarts> = std::tuple(always("epochs", &CosineRestarts::epochs),
                                                           always("growth", &CosineRestarts::growth),
                                                           always("min", &CosineRestarts::min));
template <>
inline constexpr auto kFields<PolynomialDecay> = std::tuple(always("epochs", &PolynomialDecay::epochs),
                                                            always("power", &PolynomialDecay::power));
template <>
inline constexpr auto kFields<FactorRamp> = std::tuple(always("from", &FactorRamp::from), always("to", &FactorRamp::to),
                                                       always("epochs", &FactorRamp::epochs),
                                                       always("linear", &FactorRamp::linear));
template <>
inline constexpr auto kFields<Cyclic> = std::tuple(always("min", &Cyclic::min), always("max", &Cyclic::max),
                                                   always("up", &Cyclic::up), always("down", &Cyclic::down),
                                                   always("mode", &Cyclic::mode), always("gamma", &Cyclic::gamma),
                                                   always("by_cycle", &Cyclic::by_cycle));
template <>
inline constexpr auto kFields<OneCycle> = std::tuple(always("max", &OneCycle::max), always("epochs", &OneCycle::epochs),
                                                     always("pct_start", &OneCycle::pct_start),
                                                     always("cosine", &OneCycle::cosine),
                                                     always("first_divisor", &OneCycle::first_divisor),
                                                     always("last_divisor", &OneCycle::last_divisor),
                                                     always("three_phases", &OneCycle::three_phases));
template <>
inline constexpr auto kFields<Plateau> = std::tuple();

// --- effects -------------------------------------------------------------------------------------------

template <>
inline constexpr auto kFields<EpochRange> = std::tuple();
template <>
inline constexpr auto kFields<MaskGroup> = std::tuple(always("name", &MaskGroup::name),
                                                      always("selector", &MaskGroup::selector));
template <>
inline constexpr auto kFields<Prune> =
    std::tuple(always("curve", &Prune::curve), always("targets", &Prune::targets),
               always("structure", &Prune::structure), always("criterion", &Prune::criterion),
               always("global", &Prune::global), always("hold_after_end", &Prune::hold_after_end),
               unusual("followers", &Prune::followers), unusual("pool", &Prune::pool),
               unusual("mask_groups", &Prune::mask_groups), unusual("fisher_block", &Prune::fisher_block));
template <>
inline constexpr auto kFields<ThresholdPrune::Threshold> = std::tuple(
    always("selector", &ThresholdPrune::Threshold::selector), always("value", &ThresholdPrune::Threshold::value),
    unusual("deviations", &ThresholdPrune::Threshold::deviations));
template <>
inline constexpr auto kFields<ThresholdPrune> = std::tuple(always("criterion", &ThresholdPrune::criterion),
                                                           always("thresholds", &ThresholdPrune::thresholds));
template <>
inline constexpr auto kFields<Regularize::Strength> = std::tuple(always("selector", &Regularize::Strength::selector),
                                                                 always("strength", &Regularize::Strength::strength),
                                                                 unusual("group", &Regularize::Strength::group));
template <>
inline constexpr auto kFields<Regularize> = std::tuple(always("norm", &Regularize::norm),
                                                       always("strengths", &Regularize::strengths),
                                                       unusual("thresholds_by", &Regularize::thresholds_by));
template <>
inline constexpr auto kFields<HoldMask> = std::tuple(always("selector", &HoldMask::selector));
template <>
inline constexpr auto kFields<SetLearningRate> = std::tuple(always("rate", &SetLearningRate::rate),
                                                            unusual("groups", &SetLearningRate::groups));
template <>
inline constexpr auto kFields<LearningRateCurve> = std::tuple(always("course", &LearningRateCurve::kind),
                                                              always("from", &LearningRateCurve::from),
                                                              always("to", &LearningRateCurve::to),
                                                              unusual("cycle_epochs", &LearningRateCurve::cycle_epochs),
                                                              unusual("groups", &LearningRateCurve::groups));
template <>
inline constexpr auto kFields<TorchScheduler> = std::tuple(
    always("course", &TorchScheduler::kind), always("initial_rate", &TorchScheduler::initial_rate),
    unusual("gamma", &TorchScheduler::gamma), unusual("step_size", &TorchScheduler::step_size),
    unusual("milestones", &TorchScheduler::milestones), unusual("min_rate", &TorchScheduler::min_rate),
    unusual("cycle_epochs", &TorchScheduler::cycle_epochs), unusual("cycle_growth", &TorchScheduler::cycle_growth));
template <>
inline constexpr std::size_t kWithoutRow<EpochScheduler> = 1;  // span
template <>
inline constexpr auto kFields<EpochScheduler> = std::tuple(always("course", &EpochScheduler::course),
                                                           always("number", &EpochScheduler::number),
                                                           always("builds", &EpochScheduler::builds),
                                                           unusual("chains", &EpochScheduler::chains));
template <>
inline constexpr auto kFields<SetWeightDecay> = std::tuple(always("decay", &SetWeightDecay::decay),
                                                           unusual("groups", &SetWeightDecay::groups));
template <>
inline constexpr auto kFields<Grid> = std::tuple(always("tensor", &Grid::tensor), always("bits", &Grid::bits),
                                                 always("symmetric", &Grid::symmetric),
                                                 always("by_channel", &Grid::by_channel));
template <>
inline constexpr auto kFields<Quantize> = std::tuple(
    always("by_scheme", &Quantize::by_scheme), unusual("scheme", &Quantize::scheme),
    unusual("overrides", &Quantize::overrides), unusual("ignored", &Quantize::ignored),
    unusual("observers_off", &Quantize::observers_off), unusual("batch_norm_frozen", &Quantize::batch_norm_frozen),
    unusual("layers", &Quantize::layers), unusual("grids", &Quantize::grids),
    unusual("layer_grids", &Quantize::layer_grids), unusual("within", &Quantize::within),
    unusual("replaces", &Quantize::replaces), unusual("strict", &Quantize::strict));
template <>
inline constexpr auto kFields<SetTrainable> = std::tuple(always("trainable", &SetTrainable::trainable),
                                                         always("selector", &SetTrainable::selector),
                                                         unusual("in_first_step", &SetTrainable::in_first_step));
template <>
inline constexpr auto kFields<SetParameter> = std::tuple(unusual("from", &SetParameter::from),
                                                         always("to", &SetParameter::to),
                                                         always("selector", &SetParameter::selector));
template <>
inline constexpr auto kFields<Distill> = std::tuple(always("per_layer", &Distill::per_layer),
                                                    unusual("hardness", &Distill::hardness),
                                                    unusual("temperature", &Distill::temperature),
                                                    unusual("layers", &Distill::layers),
                                                    unusual("teacher_layers", &Distill::teacher_layers),
                                                    unusual("measure", &Distill::measure),
                                                    unusual("factor", &Distill::factor));
template <>
inline constexpr auto kFields<Opaque> = std::tuple(unusual("selector", &Opaque::selector),
                                                   unusual("shrinks_model", &Opaque::shrinks_model));

// --- the whole -----------------------------------------------------------------------------------------

template <>
inline constexpr Names<3> kNames<Overlap> = {"all_hold", "last_update", "first_action"};
template <>
inline constexpr Names<2> kNames<Rounding> = {"nearest", "down"};

template <>
inline constexpr auto kFields<StepSchedule> = std::tuple(always("first", &StepSchedule::first),
                                                         always("every", &StepSchedule::every),
                                                         always("times", &StepSchedule::times),
                                                         always("parts", &StepSchedule::parts),
                                                         unusual("lag", &StepSchedule::lag),
                                                         unusual("in_epochs", &StepSchedule::in_epochs));
template <>
inline constexpr auto kFields<SinceLastUpdate> = std::tuple(unusual("every", &SinceLastUpdate::every));
template <>
inline constexpr auto kFields<PerBatch> = std::tuple();
template <>
inline constexpr auto kFields<WholeSteps> = std::tuple(unusual("every", &WholeSteps::every));
template <>
inline constexpr auto kFields<WholeEpochs> = std::tuple(unusual("every", &WholeEpochs::every),
                                                        unusual("listed", &WholeEpochs::listed),
                                                        unusual("skips_first", &WholeEpochs::skips_first),
                                                        unusual("within", &WholeEpochs::within));
template <>
inline constexpr auto kFields<Counted> = std::tuple(always("counted", &Counted::schedule));
template <>
inline constexpr std::size_t kWithoutRow<Cadence> = 1;  // rhythm; its kind and fields are written next to these
template <>
inline constexpr auto kFields<Cadence> = std::tuple(unusual("start", &Cadence::start), unusual("end", &Cadence::end));
template <>
inline constexpr std::size_t kWithoutRow<Origin> = 2;  // span, release
template <>
inline constexpr auto kFields<Origin> = std::tuple(unusual("class", &Origin::class_name),
                                                   unusual("ordinal", &Origin::ordinal),
                                                   unusual("stage", &Origin::stage), unusual("group", &Origin::group),
                                                   unusual("fields", &Origin::fields));
template <>
inline constexpr std::size_t kWithoutRow<Action> = 2;  // valid, operations
template <>
inline constexpr auto kFields<Action> = std::tuple(always("effect", &Action::effect),
                                                   always("cadence", &Action::cadence),
                                                   unusual("needs_data", &Action::needs_data),
                                                   unusual("origin", &Action::origin));
template <>
inline constexpr std::size_t kWithoutRow<Variable> = 1;  // key
template <>
inline constexpr auto kFields<Variable> = std::tuple(always("name", &Variable::name),
                                                     unusual("stage", &Variable::stage),
                                                     always("value", &Variable::value));
template <>
inline constexpr std::size_t kWithoutRow<TrainingLength> = 1;  // span
template <>
inline constexpr auto kFields<TrainingLength> = std::tuple(always("epochs", &TrainingLength::epochs),
                                                           always("action", &TrainingLength::action),
                                                           unusual("field", &TrainingLength::field));
template <>
inline constexpr std::size_t kWithoutRow<Recipe> = 5;  // incomplete, units, units_are_parameters, is_result, evaluated
template <>
inline constexpr auto kFields<Recipe> = std::tuple(
    always("dialect", &Recipe::dialect), unusual("framework", &Recipe::framework), unusual("length", &Recipe::length),
    unusual("trains", &Recipe::trains), unusual("steps_per_epoch", &Recipe::steps_per_epoch),
    unusual("has_rates", &Recipe::has_rates), unusual("overlap", &Recipe::overlap),
    unusual("rounding", &Recipe::rounding), always("actions", &Recipe::actions),
    unusual("variables", &Recipe::variables), unusual("metadata", &Recipe::metadata));

}  // namespace sparsecfg::ir
