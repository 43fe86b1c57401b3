#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/distiller/table.h"
#include "doc/document.h"
#include "ir/model_names.h"
#include "python/numbers.h"
#include "source/names.h"
#include "source/value.h"

namespace sparsecfg::dialect::distiller {

using source::Span;
using source::Value;

// One argument of a class as its constructor is given it.
struct Field {
  std::string name;
  Span key;
  Value value;
  const FieldSpec* spec = nullptr;  // null: no argument of the class
  bool valid = true;                // false: already reported, to be left alone
};

// The fields of a component, of a policy or of its `args`.
struct Fields {
  std::vector<Field> all;
  Span place;  // what stands for the whole

  [[nodiscard]] const Field* find(std::string_view name) const;
  // The field if it is given and could be read.
  [[nodiscard]] const Field* readable(std::string_view name) const;
  // Returns true if Python takes the field's value for true.
  [[nodiscard]] bool is_set(std::string_view name) const;
  // Where the value of a field stands, or the whole where the field is absent.
  [[nodiscard]] Span place_of(std::string_view name) const;
};

// An instance of a section: a class and what its constructor is given.
struct Component {
  const ClassSpec* spec = nullptr;
  Section section = Section::pruners;
  std::string name;
  Span key;
  Fields fields;
  bool valid = true;          // true if all that the schedule depends on could be read
  bool used = false;          // true if a policy refers to it
  bool acts = false;          // true if one does so within the run; a quantizer acts as soon as it is loaded
  bool starts = false;        // true if one does so in its first active epoch, where a ramp has its first value
  bool shows_levels = false;  // true if one acts before any policy replaces the levels
  doc::NodeId node{};         // its mapping

  // A number; the default where the argument is absent; nothing for null and for what is none.
  [[nodiscard]] std::optional<double> number(std::string_view field_name) const;
  // A text; the default where the argument is absent; empty for anything else.
  [[nodiscard]] std::string text(std::string_view field_name) const;
};

// The instances of all sections, by section and name.
struct Components {
  std::vector<Component> all;  // in the order in which Distiller builds them
  bool detected = true;        // false: a section could not be read or found, so nothing is known to be missing

  [[nodiscard]] Component* find(Section section, std::string_view name);
};

// What reading a part of a schedule needs to know.
struct Reading {
  const doc::Document& document;
  const std::vector<std::string>* layers;  // names of the model's layers; null: unknown
  diag::Sink& sink;
  const std::vector<source::Module>* modules = nullptr;  // the layers with their types; null: unknown
  const ir::ModelNames* parameters = nullptr;            // of the model; null: unknown
};

// Returns the keys and values of a mapping; a key that is not a string is given as Python's str() of it.
[[nodiscard]] std::vector<Field> read_fields(const Reading& reading, doc::NodeId mapping);

// Reads the sections and checks each component by its row of the table: class, arguments, types.
[[nodiscard]] Components read_components(const Reading& reading);

// Checks a field's value by its row: reports what the constructor refuses, and, where the component
// is used, what fails later.
void check_value(std::string_view owner, Field& field, bool used, diag::Sink& sink);

}  // namespace sparsecfg::dialect::distiller
