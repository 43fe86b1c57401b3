#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/stages/arguments.h"
#include "dialect/stages/layout.h"
#include "dialect/stages/table.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::stages {

struct Field {
  std::string name;
  source::Span key;
  source::Value value;              // evaluated
  const FieldSpec* spec = nullptr;  // null: no field of this modifier, dropped by SparseML
  bool valid = true;                // false: already reported, to be left alone
  bool evaluated = false;           // whether the value, or a part of it, came from an `eval(...)`
};

// A modifier as pydantic builds it.
struct Modifier {
  const ModifierSpec* spec = nullptr;
  source::Span key;
  std::string stage;
  std::string group;
  bool one_shot = false;
  int ordinal = 0;  // from 1
  std::vector<Field> fields;
  bool valid = true;

  [[nodiscard]] const Field* find(std::string_view name) const;
  // The field's value if it is given, could be read and is not null.
  [[nodiscard]] const source::Value* given(std::string_view name) const;
  // The value after pydantic's coercion, the default where the field is absent.
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  // Where the field's value stands, or the modifier's name where the field is absent.
  [[nodiscard]] source::Span place(std::string_view name) const;
};

// What reading a recipe takes.
struct Reading {
  const source::SourceFile& file;
  Arguments& arguments;
  diag::Sink& sink;
};

// Evaluates and checks the fields of a modifier by its row of the table. Reports unknown types
// (SP102) and answers nothing for them; reports fields that are dropped (SP105), missing (SP103)
// or not of their type (SP104).
[[nodiscard]] std::optional<Modifier> read_modifier(const Reading& reading, const Written& written, int ordinal);

}  // namespace sparsecfg::dialect::stages
