#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/shared_list.h"
#include "ir/cadence.h"
#include "ir/effect.h"
#include "ir/operation.h"

// The schedule of a recipe, independent of its dialect. It is complete: all results are computed from it. Equality
// ignores source spans and `Action::valid`.
namespace sparsecfg::ir {

// A field as written in the recipe, for diagnostics and writers.
struct OriginField {
  std::string name;
  source::Span key;
  source::Value value;
  bool evaluated = false;     // true if it came from an expression
  std::string variable{};     // the variable that is the whole expression; empty: none
  source::Span definition{};  // the value of that variable in the file; the field itself if the variable has other uses

  friend bool operator==(const OriginField& a, const OriginField& b) { return a.name == b.name && a.value == b.value; }
};

// A value in the file that can be replaced by another one, and its key.
struct WritableValue {
  std::string name;  // of the field, or of the variable that it uses
  source::Span place;
};

// The origin of an action.
struct Origin {
  std::string class_name;  // the dialect's class name
  int ordinal = 0;         // from 1, in document order
  std::string stage;       // empty without stages
  std::string group;
  source::Span span;  // span of the tag
  std::vector<OriginField> fields;
  std::string_view release{};  // of the framework, whose defaults apply; empty: the newest one

  [[nodiscard]] const OriginField* find(std::string_view name) const;
  // Returns the value of a field; null if it is absent or None.
  [[nodiscard]] const source::Value* given(std::string_view name) const;
  // Returns the span of a field's value, or of the whole action if the field is absent.
  [[nodiscard]] source::Span place(std::string_view name) const;
  // Returns the field whose value contains the span, or null.
  [[nodiscard]] const OriginField* field_at(source::Span place) const;
  // Returns the field whose whole value is at the span, or null.
  [[nodiscard]] const OriginField* whole_field_at(source::Span place) const;
  // Returns true if a whole value of a field is at the span and is not the result of an expression.
  [[nodiscard]] bool is_literal(source::Span place) const;
  // Returns the value to change for the whole value of a field at the span: itself, or the definition of the variable
  // that it uses. nullopt: it is the result of a longer expression, or no value of a field.
  [[nodiscard]] std::optional<WritableValue> writable(source::Span place) const;

  friend bool operator==(const Origin& a, const Origin& b);
};

struct Action {
  Effect effect;
  Cadence cadence;
  Origin origin;
  bool valid = true;                    // false: a part could not be read, so no conclusions may be drawn
  bool needs_data = false;              // for trained models: true if the action needs calibration data
  std::vector<Operation> operations{};  // for trained models: what the action does to modules, in order

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
  bool incomplete = false;  // true if it has elements of classes that are not known, which may do anything
  // The names to which operations apply, if they are not the modules of the model: fused layers of a runtime, or the
  // tensors of a file.
  base::SharedList<model::Module> units{};
  bool units_are_parameters = false;  // true if `units` are names of parameters
  // True if the recipe describes a quantized model, not how to quantize it: it states schemes, but neither methods nor
  // transforms nor pruning.
  bool is_result = false;
  std::set<source::Span> evaluated{};  // places of functions of a script whose results are known for the model

  // Returns true if the schedule can be computed step by step. False for recipes with actions in whole steps, and for
  // recipes without training.
  [[nodiscard]] bool has_timeline() const;
};

}  // namespace sparsecfg::ir
