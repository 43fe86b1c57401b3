#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/curve.h"
#include "ir/epoch_rate_curve.h"
#include "ir/selector.h"
#include "source/span.h"
#include "source/value.h"

// What an action does. The set is closed: code that handles effects visits all of them, so that
// the compiler names every place a new one has to be thought of.
namespace sparsecfg::ir {

using source::Located;

// Makes the training last to the end of the action's window.
struct EpochRange {
  static constexpr std::string_view kName = "EpochRange";
  friend bool operator==(const EpochRange&, const EpochRange&) = default;
};

// Courses of sparsity over the window of the action.
struct Ramp {
  static constexpr std::string_view kName = "ramp";
  std::optional<Located<double>> from;  // nothing: what each parameter has already
  Shape shape = Shape::cubic;
  friend bool operator==(const Ramp&, const Ramp&) = default;
};

// Dense and compressed phases in turn, each one update frequency long (AC/DC).
struct Alternation {
  static constexpr std::string_view kName = "alternation";
  friend bool operator==(const Alternation&, const Alternation&) = default;
};

// Constant, with another sparsity for the gradients (Top-KAST).
struct ForwardBackward {
  static constexpr std::string_view kName = "forward_backward";
  Located<double> backward;
  friend bool operator==(const ForwardBackward&, const ForwardBackward&) = default;
};

// Constant over all parameters, shared out among them by their shapes (RigL).
struct Distributed {
  static constexpr std::string_view kName = "distributed";
  std::string strategy;
  friend bool operator==(const Distributed&, const Distributed&) = default;
};

// The target itself, each time anew.
struct Constant {
  static constexpr std::string_view kName = "constant";
  friend bool operator==(const Constant&, const Constant&) = default;
};

using SparsityCurve = std::variant<Ramp, Alternation, ForwardBackward, Distributed, PowerRamp, PiecewiseConstant,
                                   Expression, Constant, EpochCurve>;

// The sparsity that a curve begins with; null where it begins with no number of its own.
[[nodiscard]] const Located<double>* initial_sparsity(const SparsityCurve& curve);

// Which weights are removed together.
struct Structure {
  enum class Kind : std::uint8_t { unstructured, block, n_of_m, filter, channel };
  Kind kind = Kind::unstructured;
  std::int64_t n = 0;      // rows of a block, or weights kept of every m
  std::int64_t m = 0;      // columns of a block
  bool padded = false;     // true if a weight that blocks do not fill is filled up
  std::int64_t group = 1;  // filters or channels that are ranked together
  friend bool operator==(const Structure&, const Structure&) = default;
};

// "filter", "channel", "block" ...
[[nodiscard]] std::string_view to_string(Structure::Kind kind);

// A sparsity that a curve leads to and the parameters that get it.
struct Target {
  Located<double> sparsity;
  Selector selector;
  std::optional<Located<double>> min{};  // bounds of what is applied, moved along the curve like it
  std::optional<Located<double>> max{};
  friend bool operator==(const Target&, const Target&) = default;
};

// Parameters that lose the same structures, because one ranking makes the masks of all of them.
struct MaskGroup {
  std::string name;  // groups of several actions with the same name are one group
  Selector selector;
  friend bool operator==(const MaskGroup&, const MaskGroup&) = default;
};

struct Prune {
  static constexpr std::string_view kName = "Prune";
  SparsityCurve curve;
  std::vector<Target> targets;  // a parameter belongs to the first one that takes it
  Structure structure;
  std::string criterion;                // what ranks the weights: "magnitude", "movement", "mfac" ...
  bool global = false;                  // true if all parameters are ranked together
  bool hold_after_end = true;           // true if the last mask stays in force
  std::optional<Selector> followers{};  // of which only tensors are pruned that follow the mask of another one
  std::string pool{};  // global: actions with the same one rank their parameters together; empty: this one alone
  std::vector<MaskGroup> mask_groups{};
  friend bool operator==(const Prune&, const Prune&) = default;
};

// Removes weights below a threshold, so that their number depends on the values of the weights.
struct ThresholdPrune {
  static constexpr std::string_view kName = "ThresholdPrune";

  struct Threshold {
    Selector selector;
    source::Value value;  // as given: a factor of the deviation, a threshold, what a class makes of it
    // The threshold in standard deviations of weights that are normally distributed around 0; nothing: it is none of
    // them, or they don't decide alone.
    std::optional<double> deviations{};
    friend bool operator==(const Threshold&, const Threshold&) = default;
  };

  std::string criterion;              // "sensitivity", "magnitude", "splicing" ...
  std::vector<Threshold> thresholds;  // a parameter belongs to the first one that takes it
  friend bool operator==(const ThresholdPrune&, const ThresholdPrune&) = default;
};

// Adds a penalty to the loss.
struct Regularize {
  static constexpr std::string_view kName = "Regularize";

  struct Strength {
    Selector selector;
    Located<double> strength;
    std::string group;  // whose norms are summed; empty: single weights
    friend bool operator==(const Strength&, const Strength&) = default;
  };

  std::string norm;  // "l1", "group_lasso", "group_variance"
  std::vector<Strength> strengths;
  std::string thresholds_by;  // what small weights are cut off by; empty: they are not
  friend bool operator==(const Regularize&, const Regularize&) = default;
};

// Keeps the zeros that are there when the action starts.
struct HoldMask {
  static constexpr std::string_view kName = "HoldMask";
  Selector selector;
  friend bool operator==(const HoldMask&, const HoldMask&) = default;
};

// Indices of the optimizer's parameter groups; empty: all.
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

// One of torch's schedulers. Lengths are in epochs and meet the steps per epoch when evaluated.
struct TorchScheduler {
  static constexpr std::string_view kName = "TorchScheduler";
  enum class Kind : std::uint8_t { step, multi_step, cosine_warm_restarts };
  Kind kind = Kind::step;
  std::optional<Located<double>> initial_rate;  // nothing: what the optimizer has then
  double gamma = 1;                             // step, multi_step
  double step_size = 1;                         // step
  std::vector<Located<double>> milestones;      // multi_step, in the order given
  double min_rate = 0;                          // cosine_warm_restarts
  double cycle_epochs = 1;
  double cycle_growth = 1;  // factor from one cycle to the next
  friend bool operator==(const TorchScheduler&, const TorchScheduler&) = default;
};

// A scheduler of torch's that gets the number of the coming epoch at the end of each epoch of
// its cadence: the rate is a function of that number (reference/distiller.md C.9). Built before the
// first step, whether or not it is ever stepped, and several actions may step the same one.
struct EpochScheduler {
  static constexpr std::string_view kName = "EpochScheduler";
  EpochRateCurve course;
  std::size_t number = 0;  // which of the recipe's schedulers, in the order in which they are built
  bool builds = false;     // true: the building; false: the stepping
  friend bool operator==(const EpochScheduler&, const EpochScheduler&) = default;
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
  bool symmetric = true;    // whether 0 is in the middle
  bool by_channel = false;  // whether each channel has bounds of its own
  friend bool operator==(const Grid&, const Grid&) = default;
};

struct Quantize {
  static constexpr std::string_view kName = "Quantize";
  bool by_scheme = true;    // true if the fields are schemes or the older switches
  source::Value scheme;     // as given; null: the default scheme
  source::Value overrides;  // ordered, name or type to scheme; null where absent
  source::Value ignored;    // names and types; null where absent
  std::optional<Located<double>> observers_off;
  std::optional<Located<double>> batch_norm_frozen;
  std::vector<Selector> layers{};  // those with settings of their own; a layer belongs to the first one that matches it
  std::vector<Grid> grids{};       // none: it rounds in another way, or which way is not known
  std::vector<std::vector<Grid>> layer_grids{};  // those of `layers`, in their order; empty: not known
  std::optional<Selector> within{};  // modules in which alone layers are quantized, but for the types that it excludes
  bool replaces = false;  // true if a layer has these settings in place of those that an earlier action gives it
  friend bool operator==(const Quantize&, const Quantize&) = default;
};

struct SetTrainable {
  static constexpr std::string_view kName = "SetTrainable";
  bool trainable = true;
  Selector selector;
  bool in_first_step = false;  // true if what starts with the training acts in its first step; false: before that step
  friend bool operator==(const SetTrainable&, const SetTrainable&) = default;
};

// Sets parameters to a value, or moves them linearly from one to another.
struct SetParameter {
  static constexpr std::string_view kName = "SetParameter";
  std::optional<source::Value> from;
  source::Value to;
  Selector selector;
  friend bool operator==(const SetParameter&, const SetParameter&) = default;
};

struct Distill {
  static constexpr std::string_view kName = "Distill";
  bool per_layer = false;
  std::optional<Located<double>> hardness;  // share of the teacher in the loss
  std::optional<Located<double>> temperature;
  std::optional<Selector> layers{};          // whose outputs are compared
  std::optional<Selector> teacher_layers{};  // with those of which; nothing: of the same names
  std::string measure{};                     // "mse", "kl"; empty: the framework's own
  std::optional<Located<double>> factor{};   // of the distance, which is added to the loss
  friend bool operator==(const Distill&, const Distill&) = default;
};

// Known to the framework and without effect on the schedule, or not understood because a part of
// it could not be read: the origin holds all of it.
struct Opaque {
  static constexpr std::string_view kName = "Opaque";
  std::optional<Selector> selector;
  bool shrinks_model = false;  // true if it takes structures that are masked out of the model
  friend bool operator==(const Opaque&, const Opaque&) = default;
};

using Effect =
    std::variant<EpochRange, Prune, HoldMask, SetLearningRate, LearningRateCurve, TorchScheduler, SetWeightDecay,
                 Quantize, SetTrainable, SetParameter, Distill, Opaque, EpochScheduler, ThresholdPrune, Regularize>;

// "Prune", "SetLearningRate" ...: the name of the alternative.
[[nodiscard]] std::string_view name_of(const Effect& effect);

// Returns true if it sets masks of weights that are removed.
[[nodiscard]] bool makes_masks(const Effect& effect);

// The selectors of an effect, in the order of the recipe; those of mask groups are not among them.
[[nodiscard]] std::vector<const Selector*> selectors_of(const Effect& effect);

[[nodiscard]] constexpr bool moves_learning_rate(const Effect& effect) {
  const auto* scheduler = std::get_if<EpochScheduler>(&effect);
  return (scheduler != nullptr && !scheduler->builds) || std::holds_alternative<SetLearningRate>(effect) ||
         std::holds_alternative<LearningRateCurve>(effect) || std::holds_alternative<TorchScheduler>(effect);
}

}  // namespace sparsecfg::ir
