#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/custom.h"
#include "dialect/record/record.h"
#include "dialect/stages/table.h"
#include "source/source_file.h"
#include "source/value.h"

namespace sparsecfg::dialect::stages {

// A modifier in the source file: a key of a group and the mapping below it.
struct ModifierNode {
  std::string type;
  source::Span key;
  source::Value fields;
  std::string stage;
  std::string group;
  bool one_shot = false;  // true if its stage is declared as one-shot, not training
  bool lost = false;      // true if the loader drops it; its fields are checked nevertheless
};

// A modifier after validation by pydantic.
struct Modifier : Record {
  bool one_shot = false;
};

// The inputs shared by all functions that read a recipe.
struct Context {
  const source::SourceFile& file;
  const Table& table;
  diag::Sink& sink;
  // Replaces the expressions in a value by their results. Returns false after it has reported an expression that cannot
  // be evaluated. Empty if the framework has no expressions.
  std::function<bool(source::Value&)> evaluate{};
  std::set<source::Span> unknown{};       // places of values that are known only after running a script
  const CustomClasses* custom = nullptr;  // classes of the project, or null
};

// Returns true if the class is unknown, so the modifier may do anything.
[[nodiscard]] bool is_opaque(const Table& table, const Modifier& modifier);

// Evaluates and checks the fields of a modifier against its row of the table. Reports unknown (SP105), missing (SP103)
// and wrong (SP104, SP117) fields, including those of nested records. Reports an unknown type (SP102) and returns
// nullopt for it. `ordinal` is the number of the modifier in the recipe, from 1.
[[nodiscard]] std::optional<Modifier> read_modifier(const Context& context, const ModifierNode& written, int ordinal);

}  // namespace sparsecfg::dialect::stages
