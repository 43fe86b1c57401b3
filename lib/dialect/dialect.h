#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/objects.h"
#include "dialect/options.h"
#include "dialect/record/spec.h"
#include "dialect/timed.h"
#include "dialect/write.h"
#include "doc/document.h"
#include "doc/field_order.h"
#include "ir/framework.h"
#include "ir/recipe.h"
#include "source/source_file.h"

// The interface that every dialect implements. Generic code iterates over these rows. CONTRIBUTING.md lists the places
// to change for a new dialect.
namespace sparsecfg::dialect {

// One field on a manual page.
struct FieldPage {
  std::string_view name;
  std::string_view doc;
  std::vector<std::string> facts;  // "required", "default: 1", "at least 0" ...
};

// The manual page of one class of a dialect.
struct Page {
  std::string_view name;
  std::string note;         // distinguishes pages with the same name; may be empty
  std::string_view reader;  // the framework that reads the class: "SparseML, PyTorch"
  std::string_view doc;
  std::vector<FieldPage> fields;
  bool listed = true;  // true if `explain modifiers` lists the page
};

// The input of Dialect::read.
struct Source {
  const source::SourceFile& file;
  source::Span part;              // the part of the file that holds the recipe
  const doc::Document& document;  // the parsed `part`
  // The key of a recipe that Axolotl loads for a training; nullopt for all others.
  std::optional<source::Span> axolotl{};
  // Of a recipe in a script, the dotted names of the calls that accept it, as far as they are known. Nullopt for a
  // recipe in a separate file.
  std::optional<std::vector<std::string>> callers{};
  bool partial = false;  // true if the recipe may have other elements and values
};

// The runtimes that the rules of a dialect know, and the settings of a run that these rules read.
struct RuntimeUse {
  std::span<const std::string_view> programs{};  // values of `--runtime`
  bool releases = false;
  bool splits = false;   // --tensor-parallel
  bool experts = false;  // --expert-parallel
  bool kernels = false;  // --gpu
};

// Files of another dialect that a framework loads too, and the reader option that selects the framework.
struct SharedFiles {
  std::string_view dialect{};  // empty: none
  std::string_view option{};
  std::string_view value{};
};

struct Dialect {
  std::string_view name;   // for `--from` and JSON output: "sparseml"
  std::string_view title;  // display name: "SparseML"
  std::string_view text;   // display name of a file: "a SparseML recipe"
  // Releases of the framework whose recipes are known. Empty: those of the first reader option.
  std::string_view releases{};

  bool (*claims)(const doc::Document&);  // returns true if the document is in this dialect
  // Returns the part of a file that holds the content if its text marks it as one of this dialect, else nullopt. Null:
  // files have no mark.
  std::optional<source::Span> (*marked_part)(const source::SourceFile&) = nullptr;
  std::span<const std::string_view> words;  // identify the dialect of a file that can't be parsed
  bool scripts = false;                     // true if files may be Python scripts

  // Reports everything that the framework would reject, fail on or drop. Returns all actions that could be read;
  // incorrect ones are marked as not valid. Null: the dialect is only written, never read.
  ir::Recipe (*read)(const Source&, const ReadOptions&, diag::Sink&) = nullptr;
  // Returns a JSON Schema (draft 7) for editors, with a trailing line feed.
  std::string (*schema)(const ReadOptions&) = nullptr;
  std::vector<Page> (*pages)() = nullptr;
  bool modules = false;  // true if selectors match names and types of modules, not of parameters
  // Returns why a run may have other names of modules than the model, as a clause. Empty: it does not. Null: never.
  std::string (*other_names)(const ReadOptions&) = nullptr;
  // Writes a valid recipe of any dialect in this dialect. Reports actions that can't be written (PT) and omits them.
  WriteResult (*write)(const ir::Recipe&, const WriteOptions&, diag::Sink&) = nullptr;
  // Returns what writers of other dialects need to know of a recipe beyond its schedule. Null: nothing.
  Plan (*plan)(const ir::Recipe&) = nullptr;
  // Composes recipes of this dialect as stages. Null: the dialect does not support stages.
  Compose compose = nullptr;
  // Lossless formats only. Returns true if writing and reading back is the identity. Null: not a lossless format.
  bool (*reads_back)(const ir::Recipe&) = nullptr;
  bool maintained = false;                  // true if the framework is still developed
  bool variables = false;                   // true if recipes may define variables for other values
  bool trains = true;                       // false if recipes are one-shot, without steps to compare
  bool own_entry_rules = false;             // true if the dialect itself reports entries that decide no module
  bool parts_of_modules = false;            // true if entries select parts of modules, such as quantizers
  std::span<const ReaderOption> options{};  // settings of the reader that a user can choose
  SharedFiles also_loads{};                 // files that `--from` with this dialect also accepts
  RuntimeUse runtimes{};                    // empty: no rule of the dialect reads `--runtime`
  ir::ShapeRules shapes{};                  // shapes of weights that the framework requires
  ir::Remedies remedies{};                  // constructs that help lines of checks suggest
  doc::FieldOrder order{};                  // conventional order of the fields of a class
  // Returns the time fields of an action, or of the file itself if the origin lacks a class. Null: recipes of the
  // dialect do not contain times, or are not written by hand.
  std::vector<TimedField> (*times)(const ir::Origin&) = nullptr;

  // Consequence of a file that is not valid YAML, as the label of the error. Empty: the framework stops.
  std::string_view unreadable{};

  std::string_view module{};         // Python package that loads recipes in scripts; empty: none
  const Objects* objects = nullptr;  // recipes as objects of Python scripts; null: not supported

  // Returns true if this is a lossless format for recipes of any dialect.
  [[nodiscard]] bool is_lossless() const { return reads_back != nullptr; }
};

// All dialects, in the order of detection: the first one that claims a file reads it.
[[nodiscard]] std::span<const Dialect* const> dialects();
[[nodiscard]] const Dialect* find_dialect(std::string_view name);

// Returns the reader options of every dialect, sorted by name.
[[nodiscard]] std::vector<ReaderOption> reader_options();
// Sets a reader option. Returns false if no dialect has this option or the option does not accept the value.
bool set_reader_option(std::string_view name, std::string_view value, ReadOptions& options);

// Return the manual page of a class in a table, and the entry of a field.
[[nodiscard]] Page page_of(const ClassSpec& spec, std::string_view reader);
[[nodiscard]] FieldPage page_of(const FieldSpec& field);
[[nodiscard]] std::vector<FieldPage> pages_of(std::span<const FieldSpec> fields);

// A section, key, token or expression that is no row of a table.
struct LayoutWord {
  std::string_view name;
  std::string_view doc;
};

// Adds an unlisted page for each word.
void add_layout_pages(std::vector<Page>& pages, std::span<const LayoutWord> words, std::string_view reader);

// Returns the releases of the framework whose recipes are known, such as "0.1 to 0.13"; empty if unknown.
[[nodiscard]] std::string releases_of(const Dialect& dialect);

// The dialect that a mark in the text of a file names, and the part with the content.
struct Marked {
  const Dialect* dialect = nullptr;  // null: there is no mark
  source::Span part;
};

[[nodiscard]] Marked marked(const source::SourceFile& file);

// Detects the dialect of a document from its content. Returns null if no dialect claims it.
[[nodiscard]] const Dialect* detect(const doc::Document& document);

// Detects the dialect of a file that is not valid YAML by the words in it.
[[nodiscard]] const Dialect* detect(std::string_view unreadable);

// Detects the dialect of a Python script by the words in it.
[[nodiscard]] const Dialect* detect_in_script(std::string_view script);

// Returns true if a script imports the package of a dialect.
[[nodiscard]] bool imports(std::string_view script, const Dialect& dialect);

}  // namespace sparsecfg::dialect
