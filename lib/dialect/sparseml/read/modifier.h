#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/sparseml/table/table.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// One field of a modifier as the constructor is given it: `eval(...)` evaluated.
struct Field {
  std::string name;
  source::Span key;
  source::Value value;
  const FieldSpec* spec = nullptr;  // null: no field of this modifier
  bool valid = true;                // false: already reported, to be left alone
  bool evaluated = false;           // true if the value, or a part of it, came from an `eval(...)`
};

// A modifier as it is written and as its constructor sees it.
struct Modifier {
  const ModifierSpec* spec = nullptr;
  Framework framework = Framework::pytorch;  // whose row that is
  source::Span tag;
  std::string stage;  // empty in a recipe without stages
  std::string group;
  int ordinal = 0;  // from 1, in document order over all groups and stages
  std::vector<Field> fields;
  bool valid = true;  // true if all that the schedule depends on could be read

  [[nodiscard]] const Field* find(std::string_view name) const;
  // The field if it is given and could be read.
  [[nodiscard]] const Field* readable(std::string_view name) const;
  // Returns true if the field is given and is not null.
  [[nodiscard]] bool gives(std::string_view name) const;
  // A number, or a string that float() reads; the default where the field is absent; nullopt for
  // null and for what is not a number.
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  // A string; the default where the field is absent; empty for anything else.
  [[nodiscard]] std::string text(std::string_view name) const;
  // Where the value of a field stands, or the tag where the field is absent.
  [[nodiscard]] source::Span place(std::string_view name) const;

  // Epochs after float() and after what the class does to them: a modifier that acts once never
  // ends. Only for valid modifiers.
  [[nodiscard]] double start() const;
  [[nodiscard]] double end() const;
};

// Returns true if Python takes a value for false: null, an empty string, list or mapping, 0 and false.
[[nodiscard]] bool counts_as_empty(const source::Value& value);

// What SparseML makes of a value where it turns it into a boolean: a string is false if it is empty
// or holds an `f` or a `0`.
[[nodiscard]] bool counts_as_true(const source::Value& value);

}  // namespace sparsecfg::dialect::sparseml
