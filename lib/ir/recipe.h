#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/effect.h"

// The schedule of a recipe: what happens when, in whatever dialect it was written. It is complete, so all that is
// computed of a recipe is computed from here. Equality compares all members but places in the text, and in Action
// `valid`.
namespace sparsecfg::ir {

// Updates that are counted instead of dated: the first one comes after `first` optimizer steps, each
// further one `every` steps later, `times` in all. Update k, counted from 1, has gone k - lag of the
// `parts` parts of the way. In epochs, each of these steps is a whole epoch.
struct StepSchedule {
  std::uint64_t first = 0;
  std::uint64_t every = 1;
  std::uint64_t times = 1;
  std::uint64_t parts = 1;
  std::uint64_t lag = 0;
  bool in_epochs = false;
  friend bool operator==(const StepSchedule&, const StepSchedule&) = default;

  // The share of the way that update k has gone, as a start of 0 and an end of `parts` count it.
  [[nodiscard]] double reached(std::uint64_t update) const {
    return static_cast<double>(update) - static_cast<double>(lag);
  }
};

// When an action acts, in epochs. The epoch of step n is floor(n/N) + (n mod N)/N with N steps
// per epoch. It starts at the first step whose epoch is not below `start`; then it is updated at
// each step whose epoch is not below that of the last update plus `every`, which drifts off any
// grid; it ends at the first step whose epoch is not below `end`. All of it in IEEE doubles,
// without a tolerance (reference/sparseml.md C.2).
struct Cadence {
  enum class Kind : std::uint8_t {
    since_last_update,  // as above
    per_batch,     // at every step n with start <= n/N < end; never where start is below 0 (reference/sparseml.md B.9)
    whole_steps,   // at step round(start * N), each round(every * N) steps from there, and last at step
                   // round(end * N) - 1 (reference/sparseml.md B.8)
    whole_epochs,  // at the first step of the epochs `start`, `start + every` ... below `end`, or of those
                   // in `listed`; a learning rate at the step after the last one of such an epoch
                   // (reference/distiller.md C.1)
    counted,       // as `counted` says, also after the last step; no epoch plays a part
  };
  Kind kind = Kind::since_last_update;
  Located<double> start{-1, {}};           // -1: at the first step
  Located<double> end{-1, {}};             // -1: never
  std::optional<Located<double>> every{};  // -1 or less than a step: every step; nothing: no updates
  std::vector<Located<double>> listed{};   // whole_epochs: these instead of `every`; others than whole ones never come
  bool skips_first = false;                // whole_epochs: does nothing at the beginning of the first one
  std::int64_t within = 0;                 // whole_epochs: acts again at the steps of such an epoch that this divides
  std::optional<StepSchedule> counted{};   // for counted
  friend bool operator==(const Cadence&, const Cadence&) = default;
};

// A field as the recipe gives it, for reports that point at it and for writers.
struct OriginField {
  std::string name;
  source::Span key;
  source::Value value;
  bool evaluated = false;  // true if it came from an expression

  friend bool operator==(const OriginField& a, const OriginField& b) { return a.name == b.name && a.value == b.value; }
};

// Where an action comes from.
struct Origin {
  std::string class_name;  // the dialect's own name for it
  int ordinal = 0;         // from 1, in document order
  std::string stage;       // empty where there are no stages
  std::string group;
  source::Span span;  // its tag
  std::vector<OriginField> fields;

  [[nodiscard]] const OriginField* find(std::string_view name) const;
  // Where a field's value stands, or the whole where the field is absent.
  [[nodiscard]] source::Span place(std::string_view name) const;

  friend bool operator==(const Origin& a, const Origin& b);
};

struct Action {
  Effect effect;
  Cadence cadence;
  Origin origin;
  bool valid = true;        // false: a part could not be read, so nothing is to be concluded from it
  bool needs_data = false;  // of a model that is trained already: whether it looks at data

  friend bool operator==(const Action& a, const Action& b);
};

struct Variable {
  std::string name;
  std::string stage;  // empty for a global one
  source::Span key;
  source::Value value;  // evaluated

  friend bool operator==(const Variable& a, const Variable& b);
};

// How long a recipe trains and which value says so.
struct TrainingLength {
  double epochs = 0;
  source::Span span;  // the field that decides
  std::size_t action = 0;
  std::string field{};  // its name, where it belongs to no action
};

// Which masks a weight has where several actions make one for it.
enum class Overlap : std::uint8_t {
  all_hold,      // it loses what any of them removes
  last_update,   // that of the action that was updated last, in its place
  first_action,  // that of the first action that matches it; the others never make one
};

// Which whole number of elements a fraction of them is.
enum class Rounding : std::uint8_t { nearest, down };  // nearest: of two the even one

struct Recipe {
  std::string dialect;                           // "sparseml"
  std::vector<Action> actions;                   // in the order in which they act within a step
  std::vector<Variable> variables;               // kept, not interpreted
  source::Value metadata;                        // kept, not interpreted; by stage where there are stages
  std::optional<TrainingLength> length;          // nullopt if no action says, or one could not be read
  bool trains = true;                            // false: it is for a model that is trained already
  std::optional<std::size_t> steps_per_epoch{};  // where the recipe itself says it
  bool has_rates = true;                         // true if recipes of its kind hold learning rates at all
  Overlap overlap = Overlap::all_hold;
  Rounding rounding = Rounding::nearest;
  std::string framework{};  // "keras": which of the dialect's readers it is for; empty: the usual one

  // Returns true if its numbers can be computed step by step: those of actions by whole steps are not, and
  // what is done without any training has none.
  [[nodiscard]] bool has_timeline() const;
};

}  // namespace sparsecfg::ir
