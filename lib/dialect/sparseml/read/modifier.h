#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/sparseml/table/table.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// A field with the value passed to the constructor: `eval(...)` is evaluated.
struct Field {
  std::string name;
  source::Span key;
  source::Value value;
  const FieldSpec* spec = nullptr;  // null for an unknown field
  bool valid = true;                // false if an error has already been reported
  bool evaluated = false;           // true if the value or a part of it is the result of an `eval(...)`
};

// A modifier in the source file, and the values passed to its constructor.
struct Modifier {
  const ModifierSpec* spec = nullptr;
  Framework framework = Framework::pytorch;  // the reader that `spec` belongs to
  source::Span tag;
  std::string stage;  // empty in recipes without stages
  std::string group;
  int ordinal = 0;  // from 1, in document order over all groups and stages
  std::vector<Field> fields;
  bool valid = true;  // true if all fields that affect the schedule are valid

  [[nodiscard]] const Field* find(std::string_view name) const;
  // Returns the field, or null if it is absent or invalid.
  [[nodiscard]] const Field* readable(std::string_view name) const;
  // Returns true if the field is present and not null.
  [[nodiscard]] bool gives(std::string_view name) const;
  // Returns a number, or a string converted by float(). Returns the default if the field is absent, and nullopt if the
  // value is null or not a number.
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  // Returns a string, or the default if the field is absent. Returns an empty string for other types.
  [[nodiscard]] std::string text(std::string_view name) const;
  // Returns the location of the value of a field, or of the tag if the field is absent.
  [[nodiscard]] source::Span place(std::string_view name) const;

  // Return the epochs after conversion by float() and by the class: a modifier that acts once never ends. The modifier
  // must be valid.
  [[nodiscard]] double start() const;
  [[nodiscard]] double end() const;
};

// Returns true if the value is false in Python: null, an empty string, list or mapping, 0 and false.
[[nodiscard]] bool counts_as_empty(const source::Value& value);

// Returns the value as SparseML converts it to a boolean: a string is false if it is empty or contains `f` or `0`.
[[nodiscard]] bool counts_as_true(const source::Value& value);

}  // namespace sparsecfg::dialect::sparseml
