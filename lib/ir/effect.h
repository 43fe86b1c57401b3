#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/curve.h"
#include "ir/epoch_rate_curve.h"
#include "model/selector.h"
#include "source/span.h"
#include "source/value.h"

// The effects of actions. The set is closed: code that handles effects visits all alternatives, so the compiler reports
// every place that does not handle a new one.
namespace sparsecfg::ir {

using source::Located;

// Extends the training to the end of the action's window.
struct EpochRange {
  static constexpr std::string_view kName = "EpochRange";
  friend bool operator==(const EpochRange&, const EpochRange&) = default;
};

// Sparsity curves over the window of the action.
struct Ramp {
  static constexpr std::string_view kName = "ramp";
  std::optional<Located<double>> from;  // nullopt: the current sparsity of each parameter
  Shape shape = Shape::cubic;
  friend bool operator==(const Ramp&, const Ramp&) = default;
};

// Alternates dense and compressed phases, each one update interval long (AC/DC).
struct Alternation {
  static constexpr std::string_view kName = "alternation";
  friend bool operator==(const Alternation&, const Alternation&) = default;
};

// Constant sparsity, with a different sparsity for the gradients (Top-KAST).
struct ForwardBackward {
  static constexpr std::string_view kName = "forward_backward";
  Located<double> backward;
  friend bool operator==(const ForwardBackward&, const ForwardBackward&) = default;
};

// Constant total sparsity, distributed over the parameters by their shapes (RigL).
struct Distributed {
  static constexpr std::string_view kName = "distributed";
  std::string strategy;
  friend bool operator==(const Distributed&, const Distributed&) = default;
};

// Always the target sparsity.
struct Constant {
  static constexpr std::string_view kName = "constant";
  friend bool operator==(const Constant&, const Constant&) = default;
};

using SparsityCurve = std::variant<Ramp, Alternation, ForwardBackward, Distributed, PowerRamp, PiecewiseConstant,
                                   Expression, Constant, EpochCurve>;

// Returns the initial sparsity of a curve; null if the curve does not define one.
[[nodiscard]] const Located<double>* initial_sparsity(const SparsityCurve& curve);

// The weights that are removed together.
struct Structure {
  enum class Kind : std::uint8_t { unstructured, block, n_of_m, filter, channel };
  Kind kind = Kind::unstructured;
  std::int64_t n = 0;                  // rows of a block, or number of weights kept of every m
  std::int64_t m = 0;                  // columns of a block
  bool padded = false;                 // true if incomplete blocks are padded
  Located<std::int64_t> group{1, {}};  // number of filters or channels that are ranked together
  source::Span span{};                 // empty if the recipe does not define the structure
  friend bool operator==(const Structure& a, const Structure& b);
};

// Returns "filter", "channel", "block" ...
[[nodiscard]] std::string_view to_string(Structure::Kind kind);

// A target sparsity and the parameters to which it applies.
struct Target {
  Located<double> sparsity;
  model::Selector selector;
  std::optional<Located<double>> min{};  // bounds of the sparsity, which move along the curve with it
  std::optional<Located<double>> max{};
  friend bool operator==(const Target&, const Target&) = default;
};

// Parameters that lose the same structures, because a single ranking decides their masks.
struct MaskGroup {
  std::string name;  // groups with the same name are one group, even in different actions
  model::Selector selector;
  friend bool operator==(const MaskGroup&, const MaskGroup&) = default;
};

struct Prune {
  static constexpr std::string_view kName = "Prune";
  SparsityCurve curve;
  std::vector<Target> targets;  // a parameter belongs to the first target that matches it
  Structure structure;
  std::string criterion;                       // what the ranking of weights uses: "magnitude", "movement", "mfac" ...
  bool global = false;                         // true if all parameters are ranked together
  bool hold_after_end = true;                  // true if the last mask is kept after the end
  std::optional<model::Selector> followers{};  // modules in which only tensors that follow another mask are pruned
  std::string pool{};  // global: actions with the same pool rank their parameters together; empty: only this action
  std::vector<MaskGroup> mask_groups{};
  std::optional<Located<std::int64_t>> fisher_block{};  // weights per block of the second-order criterion "obs"
  friend bool operator==(const Prune&, const Prune&) = default;
};

// Removes weights below a threshold, so the number of removed weights depends on their values.
struct ThresholdPrune {
  static constexpr std::string_view kName = "ThresholdPrune";

  struct Threshold {
    model::Selector selector;
    source::Value value;  // as in the recipe: a factor of the deviation, a threshold, or another class-specific value
    // The threshold in standard deviations, for weights that are normally distributed around 0. nullopt if the value
    // can't be expressed in them, or if other values contribute.
    std::optional<double> deviations{};
    friend bool operator==(const Threshold&, const Threshold&) = default;
  };

  std::string criterion;              // "sensitivity", "magnitude", "splicing" ...
  std::vector<Threshold> thresholds;  // a parameter belongs to the first threshold that matches it
  friend bool operator==(const ThresholdPrune&, const ThresholdPrune&) = default;
};

// Adds a penalty to the loss.
struct Regularize {
  static constexpr std::string_view kName = "Regularize";

  struct Strength {
    model::Selector selector;
    Located<double> strength;
    std::string group;  // the groups whose norms are summed; empty: single weights
    friend bool operator==(const Strength&, const Strength&) = default;
  };

  std::string norm;  // "l1", "group_lasso", "group_variance"
  std::vector<Strength> strengths;
  std::string thresholds_by;  // statistic by which small weights are masked; empty: none are masked
  friend bool operator==(const Regularize&, const Regularize&) = default;
};

// Keeps the zeros that exist when the action starts.
struct HoldMask {
  static constexpr std::string_view kName = "HoldMask";
  model::Selector selector;
  friend bool operator==(const HoldMask&, const HoldMask&) = default;
};

// Indices of the optimizer's parameter groups. Empty means all groups.
using ParameterGroups = std::vector<std::int64_t>;

struct SetLearningRate {
  static constexpr std::string_view kName = "SetLearningRate";
  Located<double> rate;
  ParameterGroups groups;
  friend bool operator==(const SetLearningRate&, const SetLearningRate&) = default;
};

struct LearningRateCurve {
  static constexpr std::string_view kName = "LearningRateCurve";
  enum class Kind : std::uint8_t { linear, cosine, cyclic_linear };
  Kind kind = Kind::linear;
  Located<double> from;
  Located<double> to;
  Located<double> cycle_epochs;  // for cyclic_linear
  ParameterGroups groups;
  friend bool operator==(const LearningRateCurve&, const LearningRateCurve&) = default;
};

// A torch scheduler. Lengths are in epochs and are converted to steps during evaluation.
struct TorchScheduler {
  static constexpr std::string_view kName = "TorchScheduler";
  enum class Kind : std::uint8_t { step, multi_step, cosine_warm_restarts };
  Kind kind = Kind::step;
  std::optional<Located<double>> initial_rate;  // nullopt: the current rate of the optimizer
  double gamma = 1;                             // step, multi_step
  Located<double> step_size{1, {}};             // step
  std::vector<Located<double>> milestones;      // multi_step, in the order given
  double min_rate = 0;                          // cosine_warm_restarts
  double cycle_epochs = 1;
  double cycle_growth = 1;  // factor from one cycle to the next
  friend bool operator==(const TorchScheduler&, const TorchScheduler&) = default;
};

// A torch scheduler that is stepped at the end of each epoch of its cadence with the number of the next epoch. Its rate
// is a function of that number (docs/semantics/distiller.md#c9-1). It is built before the first step, even if it is
// never stepped. Several actions may step the same scheduler. A scheduler that `chains` is stepped without a number: it
// counts its own steps, and most kinds change the current rate (docs/semantics/ai8x.md#a1-2).
struct EpochScheduler {
  static constexpr std::string_view kName = "EpochScheduler";
  EpochRateCurve course;
  std::size_t number = 0;  // index of the scheduler in construction order
  bool builds = false;     // true: constructs the scheduler; false: steps it
  bool chains = false;     // true: stepped without an epoch, so it counts its own steps
  source::Span span{};     // the milestones or the step size
  friend bool operator==(const EpochScheduler& a, const EpochScheduler& b);
};

struct SetWeightDecay {
  static constexpr std::string_view kName = "SetWeightDecay";
  Located<double> decay;
  ParameterGroups groups;
  friend bool operator==(const SetWeightDecay&, const SetWeightDecay&) = default;
};

// A tensor of each layer that is rounded to evenly spaced values between bounds which are observed in training.
struct Grid {
  std::string tensor;  // "weights", "inputs", "outputs"
  std::int64_t bits = 8;
  bool symmetric = true;    // true if the grid is symmetric around 0
  bool by_channel = false;  // true if each channel has separate bounds
  friend bool operator==(const Grid&, const Grid&) = default;
};

struct Quantize {
  static constexpr std::string_view kName = "Quantize";
  bool by_scheme = true;    // true if the fields are schemes, false for the older flags
  source::Value scheme;     // as given; null: the default scheme
  source::Value overrides;  // ordered, name or type to scheme; null if absent
  source::Value ignored;    // names and types; null if absent
  std::optional<Located<double>> observers_off;
  std::optional<Located<double>> batch_norm_frozen;
  std::vector<model::Selector> layers{};         // layers with separate settings; the first matching selector applies
  std::vector<Grid> grids{};                     // empty: a different or unknown rounding
  std::vector<std::vector<Grid>> layer_grids{};  // grids of `layers`, in the same order; empty: unknown
  std::optional<model::Selector> within{};  // only layers in these modules are quantized, except for excluded types
  bool replaces = false;                    // true if these settings replace those of an earlier action
  bool strict = true;                       // true if the framework stops at a name that matches no module
  friend bool operator==(const Quantize&, const Quantize&) = default;
};

struct SetTrainable {
  static constexpr std::string_view kName = "SetTrainable";
  bool trainable = true;
  model::Selector selector;
  bool in_first_step = false;  // true: a start at epoch 0 applies in the first step; false: before it
  friend bool operator==(const SetTrainable&, const SetTrainable&) = default;
};

// Sets parameters to a value, or changes them linearly from one value to another.
struct SetParameter {
  static constexpr std::string_view kName = "SetParameter";
  std::optional<source::Value> from;
  source::Value to;
  model::Selector selector;
  friend bool operator==(const SetParameter&, const SetParameter&) = default;
};

struct Distill {
  static constexpr std::string_view kName = "Distill";
  bool per_layer = false;
  std::optional<Located<double>> hardness;  // weight of the teacher in the loss, 0 to 1
  std::optional<Located<double>> temperature;
  std::optional<model::Selector> layers{};          // layers whose outputs are compared
  std::optional<model::Selector> teacher_layers{};  // layers of the teacher to compare with; nullopt: the same names
  std::string measure{};                            // "mse", "kl"; empty: the framework's default
  std::optional<Located<double>> factor{};          // factor of the distance that is added to the loss
  friend bool operator==(const Distill&, const Distill&) = default;
};

// An action without effect on the schedule, or one that could not be read completely. Its origin contains all fields.
struct Opaque {
  static constexpr std::string_view kName = "Opaque";
  std::optional<model::Selector> selector;
  bool shrinks_model = false;  // true if masked structures are removed from the model
  friend bool operator==(const Opaque&, const Opaque&) = default;
};

using Effect =
    std::variant<EpochRange, Prune, HoldMask, SetLearningRate, LearningRateCurve, TorchScheduler, SetWeightDecay,
                 Quantize, SetTrainable, SetParameter, Distill, Opaque, EpochScheduler, ThresholdPrune, Regularize>;

// Returns the name of the alternative: "Prune", "SetLearningRate" ...
[[nodiscard]] std::string_view name_of(const Effect& effect);

// Returns true if the effect masks weights.
[[nodiscard]] bool makes_masks(const Effect& effect);

// Returns the selectors of an effect in the order of the recipe, except those of mask groups.
[[nodiscard]] std::vector<const model::Selector*> selectors_of(const Effect& effect);

[[nodiscard]] constexpr bool moves_learning_rate(const Effect& effect) {
  const auto* scheduler = std::get_if<EpochScheduler>(&effect);
  return (scheduler != nullptr && !scheduler->builds) || std::holds_alternative<SetLearningRate>(effect) ||
         std::holds_alternative<LearningRateCurve>(effect) || std::holds_alternative<TorchScheduler>(effect);
}

}  // namespace sparsecfg::ir
