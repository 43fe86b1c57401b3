#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/record/spec.h"
#include "source/value.h"

namespace sparsecfg::dialect {

// A field with the value that the framework reads: expressions are evaluated.
struct Field {
  std::string name;
  source::Span key;
  source::Value value;
  const FieldSpec* spec = nullptr;  // null for an unknown field
  bool valid = true;                // false if an error has already been reported
  bool unknown = false;             // true if the value or a part of it is not known, so it is not valid either
  bool evaluated = false;           // true if the value or a part of it is the result of an expression
};

// The fields of a record in document order, with an index of their names. The names must not change.
class Fields {
 public:
  Fields() = default;
  Fields(std::vector<Field> fields);  // NOLINT(google-explicit-constructor)

  // Returns the first field of a name, or null.
  [[nodiscard]] const Field* find(std::string_view name) const;

  [[nodiscard]] bool empty() const { return fields_.empty(); }

  [[nodiscard]] std::size_t size() const { return fields_.size(); }

  [[nodiscard]] const Field& back() const { return fields_.back(); }

  [[nodiscard]] auto begin() { return fields_.begin(); }

  [[nodiscard]] auto begin() const { return fields_.begin(); }

  [[nodiscard]] auto end() { return fields_.end(); }

  [[nodiscard]] auto end() const { return fields_.end(); }

 private:
  std::vector<Field> fields_;
  std::vector<std::uint32_t> by_name_;  // indexes of the fields, sorted by name
};

// An instance of a class in the source file: its fields, checked against the rows of the class.
struct Record {
  const ClassSpec* spec = nullptr;
  source::Span key;  // of the class name
  Fields fields;
  bool valid = true;  // true if all fields are valid
  std::string stage;  // empty in recipes without stages
  std::string group;
  int ordinal = 0;  // from 1, in document order over all groups and stages

  // Returns null if the field is absent.
  [[nodiscard]] const Field* find(std::string_view name) const { return fields.find(name); }

  // Returns the field, or null if it is absent or invalid.
  [[nodiscard]] const Field* readable(std::string_view name) const;
  // Returns the value, or null if the field is absent, invalid or null.
  [[nodiscard]] const source::Value* given(std::string_view name) const;
  // Returns true if the field is present and not null.
  [[nodiscard]] bool gives(std::string_view name) const;
  // Return the value after conversion, or the default if the field is absent. A value that can't be converted is
  // nullopt, empty or false.
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  // Returns the location of the value, or of the class name if the field is absent.
  [[nodiscard]] source::Span place(std::string_view name) const;
  // Returns the number with its location, or 0.
  [[nodiscard]] source::Located<double> located(std::string_view name) const;
};

}  // namespace sparsecfg::dialect
