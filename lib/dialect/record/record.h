#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/record/spec.h"
#include "dialect/row_names.h"
#include "source/value.h"

namespace sparsecfg::dialect {

// Not constexpr, so a call of it in a constant expression does not compile and the compiler prints its name.
inline void no_row_of_any_table_has_this_name() {}

// The name of a field. A literal that is not the name of any row does not compile.
class FieldName {
 public:
  template <std::size_t N>
  consteval FieldName(const char (&name)[N])  // NOLINT(google-explicit-constructor)
      : name_(name, N - 1) {
    if (!std::ranges::binary_search(kRowNames, name_)) no_row_of_any_table_has_this_name();
  }

  constexpr FieldName(std::string_view name) : name_(name) {}  // NOLINT(google-explicit-constructor)

  FieldName(const std::string& name) : name_(name) {}  // NOLINT(google-explicit-constructor)

  constexpr operator std::string_view() const { return name_; }  // NOLINT(google-explicit-constructor)

 private:
  std::string_view name_;
};

// A field with the value that the framework reads: expressions are evaluated.
struct Field {
  std::string name;
  source::Span key;
  source::Value value;
  const FieldSpec* spec = nullptr;  // null for an unknown field
  bool valid = true;                // false if an error has already been reported
  bool unknown = false;             // true if the value or a part of it is not known, so it is not valid either
  bool evaluated = false;           // true if the value or a part of it is the result of an expression
  std::string variable{};           // the variable that is the expression, or the first one of a sum; empty: none
  source::Span definition{};        // the value of that variable in the file
};

// The fields of a record in document order, with an index of their names. The names must not change.
class Fields {
 public:
  Fields() = default;
  Fields(std::vector<Field> fields);  // NOLINT(google-explicit-constructor)

  // Returns the first field of a name, or null.
  [[nodiscard]] const Field* find(FieldName name) const;

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
  [[nodiscard]] const Field* find(FieldName name) const { return fields.find(name); }

  // Returns the field, or null if it is absent or invalid.
  [[nodiscard]] const Field* readable(FieldName name) const;
  // Returns the value, or null if the field is absent, invalid or null.
  [[nodiscard]] const source::Value* given(FieldName name) const;
  // Returns true if the field is present and not null.
  [[nodiscard]] bool gives(FieldName name) const;
  // Return the value after conversion, or the default if the field is absent. A value that can't be converted is
  // nullopt, empty or false.
  [[nodiscard]] std::optional<double> number(FieldName name) const;
  [[nodiscard]] std::string text(FieldName name) const;
  [[nodiscard]] bool flag(FieldName name) const;
  // Returns the location of the value, or of the class name if the field is absent.
  [[nodiscard]] source::Span place(FieldName name) const;
  // Returns the number with its location, or 0.
  [[nodiscard]] source::Located<double> located(FieldName name) const;
};

}  // namespace sparsecfg::dialect
