#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/distiller/table.h"
#include "doc/document.h"
#include "model/model_names.h"
#include "model/names.h"
#include "python/numbers.h"
#include "source/value.h"

namespace sparsecfg::dialect::distiller {

using source::Span;
using source::Value;

// A constructor argument of a class, as written in the file.
struct Field {
  std::string name;
  Span key;
  Value value;
  const FieldSpec* spec = nullptr;  // null if the class lacks this argument
  bool valid = true;                // false if already reported; later checks skip it
};

// The fields of a component, of a policy, or of a policy's `args`.
struct Fields {
  std::vector<Field> all;
  Span place;  // span of the key that introduces these fields

  [[nodiscard]] const Field* find(std::string_view name) const;
  // Returns the field; null if it is absent or not valid.
  [[nodiscard]] const Field* readable(std::string_view name) const;
  // Returns true if the field's value is true in Python.
  [[nodiscard]] bool is_set(std::string_view name) const;
  // Returns the span of the field's value, or `place` if the field is absent.
  [[nodiscard]] Span place_of(std::string_view name) const;
};

// A named entry of a section: a class and its constructor arguments.
struct Component {
  const ClassSpec* spec = nullptr;
  Section section = Section::pruners;
  std::string name;
  Span key;
  Fields fields;
  bool valid = true;          // false if a value that the schedule depends on could not be read
  bool used = false;          // true if a policy refers to it
  bool acts = false;          // true if such a policy acts within the run; a quantizer acts when it is loaded
  bool starts = false;        // true if such a policy acts in its first active epoch, where a ramp has its first value
  bool shows_levels = false;  // true if such a policy acts before any policy replaces the levels
  doc::NodeId node{};         // the mapping

  // Returns the number, or the default if the argument is absent. Returns nullopt for null and non-numbers.
  [[nodiscard]] std::optional<double> number(std::string_view field_name) const;
  // Returns the string, or the default if the argument is absent. Returns "" for non-strings.
  [[nodiscard]] std::string text(std::string_view field_name) const;
};

// All components, addressed by section and name.
struct Components {
  std::vector<Component> all;  // in the order in which Distiller builds them
  bool detected = true;        // false if a section is missing or unreadable; then undefined names are not reported

  [[nodiscard]] Component* find(Section section, std::string_view name);
};

// Inputs shared by the functions that read a schedule.
struct Reading {
  const doc::Document& document;
  const std::vector<std::string>* layers;  // names of the model's layers; null if unknown
  diag::Sink& sink;
  const std::vector<model::Module>* modules = nullptr;  // the layers with their types; null if unknown
  const model::ModelNames* parameters = nullptr;        // of the model; null if unknown
};

// Returns the keys and values of a mapping. Keys that are not strings are converted with Python's str().
[[nodiscard]] std::vector<Field> read_fields(const Reading& reading, doc::NodeId mapping);

// Reads all sections and checks the class of each component and the names of its arguments.
[[nodiscard]] Components read_components(const Reading& reading);

// Checks a field's value against its table row. Reports values that the constructor rejects and,
// if `used` is true, values that fail later.
void check_value(std::string_view owner, Field& field, bool used, diag::Sink& sink);

}  // namespace sparsecfg::dialect::distiller
