#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/stages/table.h"
#include "source/source_file.h"
#include "source/value.h"

namespace sparsecfg::dialect::stages {

// A modifier as it is written: a key of a group and the mapping below it.
struct Written {
  std::string type;
  source::Span key;
  source::Value fields;
  std::string stage;
  std::string group;
  bool one_shot = false;  // true if its stage says that it is not training
};

struct Field {
  std::string name;
  source::Span key;
  source::Value value;              // evaluated
  const FieldSpec* spec = nullptr;  // null: the modifier has no such field
  bool valid = true;                // false: already reported, to be left alone
  bool evaluated = false;           // true if the value, or a part of it, came from an `eval(...)`
};

// A modifier as pydantic builds it.
struct Modifier {
  const Table* table = nullptr;
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

// The inputs that all readers of a recipe share.
struct Reading {
  const source::SourceFile& file;
  const Table& table;
  diag::Sink& sink;
  // Replaces the expressions in a value by what they come to; false where one could not be evaluated, which is then
  // reported. Empty where a framework knows no expressions.
  std::function<bool(source::Value&)> evaluate{};
};

// Evaluates and checks the fields of a modifier by its row of the table. Reports unknown types
// (SP102) and returns nothing for them; reports fields that it does not have (SP105), that are missing (SP103)
// or not of their type (SP104, SP117), in the records within fields too.
[[nodiscard]] std::optional<Modifier> read_modifier(const Reading& reading, const Written& written, int ordinal);

}  // namespace sparsecfg::dialect::stages
