#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/effect.h"

// The schedule of a recipe, independent of its dialect. It is complete: all results are computed from it. Equality
// ignores source spans and `Action::valid`.
namespace sparsecfg::ir {

// Updates that are counted instead of timed. The first one comes after `first` optimizer steps, each next one `every`
// steps later, `times` in total. Update k, counted from 1, has reached (k - lag) / parts of the ramp. If `in_epochs` is
// true, all steps are whole epochs.
struct StepSchedule {
  std::uint64_t first = 0;
  std::uint64_t every = 1;
  std::uint64_t times = 1;
  std::uint64_t parts = 1;
  std::uint64_t lag = 0;
  bool in_epochs = false;
  friend bool operator==(const StepSchedule&, const StepSchedule&) = default;

  // Returns the fraction of the ramp at update k, computed like an epoch between 0 and `parts`.
  [[nodiscard]] double reached(std::uint64_t update) const {
    return static_cast<double>(update) - static_cast<double>(lag);
  }
};

// The times at which an action acts, in epochs. The epoch of step n is floor(n/N) + (n mod N)/N with N steps per epoch.
// An action starts at the first step whose epoch is at least `start`. It is updated at each step whose epoch is at
// least the epoch of the last update plus `every`, which drifts off a regular grid. It ends at the first step whose
// epoch is at least `end`. All computations use IEEE doubles without tolerance (reference/sparseml.md C.2).
struct Cadence {
  enum class Kind : std::uint8_t {
    since_last_update,  // as above
    per_batch,     // at every step n with start <= n/N < end; never if start is below 0 (reference/sparseml.md B.9)
    whole_steps,   // at step round(start * N), then every round(every * N) steps, and last at step
                   // round(end * N) - 1 (reference/sparseml.md B.8)
    whole_epochs,  // at the first step of the epochs `start`, `start + every` ... before `end`, or of the epochs
                   // in `listed`; a learning rate at the step after the last step of such an epoch
                   // (reference/distiller.md C.1)
    counted,       // as defined by `counted`, also after the last step; independent of epochs
  };
  Kind kind = Kind::since_last_update;
  Located<double> start{-1, {}};           // -1: at the first step
  Located<double> end{-1, {}};             // -1: never
  std::optional<Located<double>> every{};  // -1 or less than a step: every step; nullopt: no updates
  std::vector<Located<double>> listed{};   // whole_epochs: replaces `every`; fractional epochs are never reached
  bool skips_first = false;                // whole_epochs: does not act at the start of the first active epoch
  std::int64_t within = 0;  // whole_epochs: also acts at steps in active epochs that are divisible by this
  std::optional<StepSchedule> counted{};  // for counted
  friend bool operator==(const Cadence&, const Cadence&) = default;
};

// A field as written in the recipe, for diagnostics and writers.
struct OriginField {
  std::string name;
  source::Span key;
  source::Value value;
  bool evaluated = false;  // true if it came from an expression

  friend bool operator==(const OriginField& a, const OriginField& b) { return a.name == b.name && a.value == b.value; }
};

// The origin of an action.
struct Origin {
  std::string class_name;  // the dialect's class name
  int ordinal = 0;         // from 1, in document order
  std::string stage;       // empty without stages
  std::string group;
  source::Span span;  // span of the tag
  std::vector<OriginField> fields;

  [[nodiscard]] const OriginField* find(std::string_view name) const;
  // Returns the span of a field's value, or of the whole action if the field is absent.
  [[nodiscard]] source::Span place(std::string_view name) const;

  friend bool operator==(const Origin& a, const Origin& b);
};

struct Action {
  Effect effect;
  Cadence cadence;
  Origin origin;
  bool valid = true;        // false: a part could not be read, so no conclusions may be drawn
  bool needs_data = false;  // for trained models: true if the action needs calibration data

  friend bool operator==(const Action& a, const Action& b);
};

struct Variable {
  std::string name;
  std::string stage;  // empty for a global variable
  source::Span key;
  source::Value value;  // evaluated

  friend bool operator==(const Variable& a, const Variable& b);
};

// The training length of a recipe and the value that defines it.
struct TrainingLength {
  double epochs = 0;
  source::Span span;  // the defining field
  std::size_t action = 0;
  std::string field{};  // name of the field if it belongs to no action
};

// The combination of masks if several actions mask the same weight.
enum class Overlap : std::uint8_t {
  all_hold,      // all masks apply together
  last_update,   // the mask of the most recently updated action replaces the others
  first_action,  // only the first action that matches the weight masks it
};

// Rounding of a fractional number of elements.
enum class Rounding : std::uint8_t { nearest, down };  // nearest: ties to even

struct Recipe {
  std::string dialect;                           // "sparseml"
  std::vector<Action> actions;                   // in execution order within a step
  std::vector<Variable> variables;               // kept, not interpreted
  source::Value metadata;                        // kept, not interpreted; grouped by stage if there are stages
  std::optional<TrainingLength> length;          // nullopt if no action defines it, or one could not be read
  bool trains = true;                            // false: the recipe applies to a trained model
  std::optional<std::size_t> steps_per_epoch{};  // if the recipe defines it
  bool has_rates = true;                         // false if recipes of this kind can't set learning rates
  Overlap overlap = Overlap::all_hold;
  Rounding rounding = Rounding::nearest;
  std::string framework{};  // "keras": the reader that was used; empty: the default

  // Returns true if the schedule can be computed step by step. False for recipes with actions in whole steps, and for
  // recipes without training.
  [[nodiscard]] bool has_timeline() const;
};

}  // namespace sparsecfg::ir
