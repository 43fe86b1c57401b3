#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/compose.h"
#include "dialect/options.h"
#include "dialect/spec.h"
#include "dialect/timed.h"
#include "dialect/write.h"
#include "doc/document.h"
#include "doc/field_order.h"
#include "ir/recipe.h"
#include "ir/shape_rules.h"
#include "source/source_file.h"

// The interface that every dialect implements. Code that reads, explains or describes recipes goes over these rows, so
// that a dialect is a folder and one line in dialects.cpp.
namespace sparsecfg::dialect {

// A field of a class, for a manual page.
struct FieldPage {
  std::string_view name;
  std::string_view doc;
  std::vector<std::string> facts;  // "required", "default: 1", "at least 0" ...
};

// The manual page of one class of a dialect.
struct Page {
  std::string_view name;
  std::string note;         // tells it from another page of its name; may be empty
  std::string_view reader;  // whose class it is: "SparseML, PyTorch"
  std::string_view doc;
  std::vector<FieldPage> fields;
  bool listed = true;  // true if it is among the classes that are listed
};

// One file on its way to be read.
struct Source {
  const source::SourceFile& file;
  source::Span part;              // the text that holds the recipe
  const doc::Document& document;  // what was made of it
};

struct Dialect {
  std::string_view name;   // what --from takes and JSON says: "sparseml"
  std::string_view title;  // as people write it: "SparseML"
  std::string_view text;   // what a file of it is to people: "a SparseML recipe"

  bool (*claims)(const doc::Document&);     // true if a file is written in it
  std::span<const std::string_view> words;  // that tell whose file it is if it can't be read
  bool scripts = false;                     // true if its files may be Python scripts

  // Reports everything that the framework would refuse, stop at or drop. The recipe holds all
  // actions that could be read; those that are wrong are in it as actions that are not valid. Null: a program, which is
  // only written.
  ir::Recipe (*read)(const Source&, const ReadOptions&, diag::Sink&) = nullptr;
  // A JSON Schema (draft 7) for editors, with a line feed at its end.
  std::string (*schema)(const ReadOptions&) = nullptr;
  std::vector<Page> (*pages)() = nullptr;
  bool modules = false;  // true if it selects by the names and types of modules
  // A valid recipe of any dialect as text of this one. Reports what can't be written (PT); the text is then without it.
  Written (*write)(const ir::Recipe&, const WriteOptions&, diag::Sink&) = nullptr;
  // Recipes of its own as stages of one. Null: its recipes have no stages.
  Compose compose = nullptr;
  // Of JSON that keeps a recipe of any dialect as it is: returns true if what is written of a recipe is read back as
  // the same. Null: a dialect with classes of its own.
  bool (*reads_back)(const ir::Recipe&) = nullptr;
  bool maintained = false;  // true if its framework is still developed
  bool variables = false;   // true if its recipes may hold variables that other values are computed from
  bool trains = true;       // false if its recipes are for one shot, so that nothing of them can be compared by steps
  std::span<const ReaderOption> options{};  // what a user can choose of its reader
  ir::ShapeRules shapes{};                  // what its framework asks of the shapes of weights
  doc::FieldOrder order{};                  // in which people write the fields of its classes
  // The fields of an action that give times; those of the file itself where the origin has no class. Null: nothing of
  // its recipes lasts, or nobody writes them by hand.
  std::vector<TimedField> (*times)(const ir::Origin&) = nullptr;

  // Returns true if it keeps recipes of any dialect.
  [[nodiscard]] bool keeps_any() const { return reads_back != nullptr; }
};

// The first that claims a file has it.
[[nodiscard]] std::span<const Dialect* const> dialects();
[[nodiscard]] const Dialect* find_dialect(std::string_view name);

// The options of all dialects' readers, by name.
[[nodiscard]] std::vector<ReaderOption> reader_options();
// Returns false if no dialect has such an option or the option has no such value.
bool set_reader_option(std::string_view name, std::string_view value, ReadOptions& options);

// What a row of a table says of its field.
[[nodiscard]] FieldPage page_of(const FieldSpec& field);
[[nodiscard]] std::vector<FieldPage> pages_of(std::span<const FieldSpec> fields);

// Which dialect a file is written in, detected from its content; null where nothing fits.
[[nodiscard]] const Dialect* detect(const doc::Document& document);

// The same for a file that is not YAML, by the words in it.
[[nodiscard]] const Dialect* detect(std::string_view unreadable);

// The same for a Python script.
[[nodiscard]] const Dialect* detect_in_script(std::string_view script);

}  // namespace sparsecfg::dialect
