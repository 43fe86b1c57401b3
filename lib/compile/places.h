#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/serving.h"
#include "diag/diagnostic.h"
#include "dialect/dialect.h"
#include "dialect/distiller/training_command.h"
#include "doc/document.h"
#include "doc/readers.h"
#include "ir/found_recipe.h"
#include "script/trace.h"
#include "source/source_file.h"

// Finds the recipes in a file: in scripts, in notebooks, in the blocks of Markdown, and inside other configurations.
namespace sparsecfg::places {

using ir::Lines;

// Moves offsets of a derived text to the text that it comes from.
class Origins {
 public:
  // Returns a place of the derived text in another file, such as "helpers.py:12"; empty for a place in this file.
  using NameOf = std::function<std::string(source::Span)>;

  explicit Origins(std::vector<script::Piece> pieces, NameOf name_of = {})
      : pieces_(std::move(pieces)), name_of_(std::move(name_of)) {}

  [[nodiscard]] source::Span map(source::Span span) const;
  // Moves findings. Those about another file name their place in it.
  void move(std::vector<diag::Diagnostic>& findings) const;

 private:
  [[nodiscard]] std::uint32_t map(std::uint32_t offset, bool end) const;
  [[nodiscard]] bool keeps(const diag::Fix& fix) const;
  void add_name(source::Span span, std::string& text) const;

  std::vector<script::Piece> pieces_;
  NameOf name_of_;
};

// Another configuration around a recipe.
struct Wrapper {
  enum class Form : std::uint8_t { none, recipe, axolotl };
  Form form = Form::none;
  source::Span key;                      // of the recipe
  std::optional<doc::NodeId> arguments;  // values for templates in the recipe
  std::optional<source::Span> text;      // a recipe in a block string; `document` is then around it

  [[nodiscard]] std::optional<source::Span> axolotl() const {
    return form == Form::axolotl ? std::optional(key) : std::nullopt;
  }
};

// A part of a recipe whose value is known only after running the script.
struct Unknown {
  source::Span span;
  std::string why;
};

// A recipe in another file.
struct Reference {
  source::Span span;
  std::string path;
  std::optional<ir::CallModel> model;  // that the call passes
  bool missing = false;                // true if there is no such file
  bool outside = false;                // true if the path leaves the folder, so that the file is not read
};

// One recipe of a file.
struct Place {
  std::string_view form;  // "objects", "string", "fence", "wrapper"
  source::Span span;      // in the file
  source::Span reach{};   // including elements that are constructed elsewhere; empty: the same
  Lines lines;
  const dialect::Dialect* dialect = nullptr;
  std::shared_ptr<source::SourceFile> text;             // the text of `document`; null if it is the file itself
  source::Span part;                                    // the recipe in that text
  std::vector<std::shared_ptr<const Origins>> origins;  // from that text to the file
  std::optional<doc::Document> document;                // nullopt if it is not YAML
  std::vector<diag::Diagnostic> findings;               // of the text
  bool loose = false;                                   // true for an element outside a list and outside a call
  bool tested = false;                                  // true for a value of a test, which may be wrong on purpose
  std::vector<Unknown> unknown;
  std::vector<Unknown> unread{};     // elements of which no argument is known
  bool alternative = false;          // true if the run may use another whole recipe instead
  std::string optional;              // why the recipe, or a part of its modifiers, may not be used; else empty
  std::vector<std::string> assumed;  // options of the command line whose defaults it has
  std::vector<source::Span> calls;   // that accept the recipe
  std::vector<std::string> callers;  // dotted names of these calls
  std::vector<Lines> call_lines;
  std::optional<ir::CallModel> model{};                // that the calls pass; nullopt if no call accepts the recipe
  source::Span load{};                                 // the call that loads it; empty for a string
  source::Span model_argument{};                       // of the last call; empty without one
  source::Span model_id{};                             // a string that the last call loads; empty: unknown
  source::Span configuration{};                        // name of the argument of the last call with the recipe
  bool with_data = false;                              // true if all of these calls pass a dataset
  std::optional<source::Span> without_data{};          // the only call that passes the recipe, if it passes no dataset
  std::vector<source::Located<std::string>> layers{};  // `sequential_targets` of the last call
  source::Located<std::string> pipeline{};             // of the last call; empty: not passed, or not known
  std::vector<source::Located<std::string>> arguments{};  // names of the arguments of the last call
  source::Span routed{};         // `moe_calibrate_all_experts=False` of the last call, or empty
  bool ignores_in_call = false;  // true if a call has the argument `ignore` of a modifier
  std::string_view runtime{};    // that a later command loads the result with; else empty
  Wrapper wrapper{};
};

// The recipes of a file, and findings about the code around them.
struct Found {
  std::vector<Place> recipes;
  std::vector<diag::Diagnostic> findings;
  std::vector<Reference> references;                           // recipes in other files
  std::vector<Unknown> unread;                                 // recipes that are unknown, and why
  bool runs_without_recipe = false;                            // true if a call accepts a recipe and gets none
  bool rejected = false;                                       // true if Python cannot parse the script
  bool stops = false;                                          // true if every run of the script ends with an error
  std::vector<source::Span> comments;                          // of a script
  ServedModels served{};                                       // commands that serve a model
  std::vector<dialect::distiller::TrainingCommand> trained{};  // commands that train with YAML files
  std::vector<std::string> classes;                            // defined by the file
};

// A cell of a notebook in the text of the code.
struct Cell {
  source::Span span;
  std::uint32_t number = 0;  // index among all cells
};

// Python code that is a part of a file: a script, the cells of a notebook, or blocks of Markdown.
struct Code {
  std::string text;                    // of a notebook, the decoded cells; else empty: the file itself
  std::vector<source::Span> parts;     // parsed one by one, with shared variables
  std::vector<Cell> cells;             // of a notebook
  std::vector<script::Piece> origins;  // of a notebook, the places of the text
  std::vector<source::Span> recipes;   // of a notebook: YAML in Markdown cells, and files that cells write
};

// Returns the places in the file at which the lines of code start.
[[nodiscard]] std::vector<source::CellLine> cell_lines(const Code& code);

// Returns the code cells of a notebook; nullopt if the text is not a notebook.
[[nodiscard]] std::optional<Code> read_notebook(std::string_view json);

// A list of a script whose entries are unknown.
struct OpenList {
  source::Located<std::string> name;
  std::string why;
  source::Span cause;
};

struct ScriptLists {
  // For each recipe a mapping from the names of its lists to their values. A list that changes between two calls
  // belongs to two recipes.
  std::vector<doc::Document> documents;
  std::vector<OpenList> open;
};

// Returns the lists of a script that are configurations of a dialect.
[[nodiscard]] ScriptLists find_lists(const source::SourceFile& text, const script::Trace& trace,
                                     const dialect::Dialect& dialect, base::Budget& budget);

// Returns such lists of a Python file, as a mapping from their names.
[[nodiscard]] doc::Document lists_in(const source::SourceFile& file, const doc::Limits& limits);

// Returns true for a dotted name in the Python module of a dialect.
[[nodiscard]] bool is_inside(std::string_view path, const dialect::Dialect& dialect);

// Returns the recipes that a value may be. Several of them are alternatives.
[[nodiscard]] std::vector<script::Ref> alternatives(const script::Ref& value);

// Returns a string that is equal for documents with the same nodes.
[[nodiscard]] std::string fingerprint(const doc::Document& document);

// A fenced block of Markdown.
struct Fence {
  std::string language;  // lower case, the first word of the info string
  source::Span content;

  [[nodiscard]] bool is_yaml() const { return language == "yaml" || language == "yml"; }
};

[[nodiscard]] std::vector<Fence> find_fences(std::string_view markdown);

// Returns true for a call of a class or function of a framework.
using IsKnown = std::function<bool(const script::Value& call)>;

// Reports the first reason for which Python rejects a program, or stops in it, and sets the flags of `out`. Without
// `is_known`, names of frameworks may be undefined, as in a fragment.
void report_faults(const script::Source& source, const script::Trace& trace, const IsKnown& is_known, Found& out,
                   diag::Sink& sink);

// Returns the recipes in code: objects and strings.
[[nodiscard]] Found find_in_code(const source::SourceFile& file, const Code& code, const dialect::ReadOptions& options,
                                 const doc::Limits& limits);

// Returns the recipe in a part of the file, if a dialect claims it.
// `wrapped`: the recipe may be inside another configuration.
[[nodiscard]] std::optional<Place> read_text(const source::SourceFile& file, source::Span part,
                                             const doc::Limits& limits, bool wrapped = false);

// Returns the recipes in a Markdown file: blocks of YAML, and recipes in blocks of Python.
[[nodiscard]] Found find_in_markdown(const source::SourceFile& file, const dialect::ReadOptions& options,
                                     const doc::Limits& limits);

// Makes the recipe inside another configuration the root of the document. The recipe is the value of `recipe`, or of
// `recipe` in `llmcompressor`.
Wrapper unwrap(doc::Document& document);

// Returns the path of a recipe file under `llmcompressor`, which Axolotl does not read.
[[nodiscard]] std::optional<source::Span> path_for_axolotl(const doc::Document& document);

// Returns the lines of a block string, without its `|`.
[[nodiscard]] source::Span content_of(const source::SourceFile& file, source::Span block);

// Returns true for a placeholder in documents: `<SCHEME>` or `...`.
[[nodiscard]] bool is_placeholder(std::string_view text);

// Marks values that a program inserts before the recipe is read, such as `$observer`, as unknown.
void mark_templates(doc::Document& document, const source::SourceFile& file);

// Inserts the values that the wrapper lists, and marks the other template values as unknown.
void fill_templates(doc::Document& document, const Wrapper& wrapper, const source::SourceFile& file);

// Returns true if the text contains a word that only files with recipes contain. Fast, for the search in folders.
[[nodiscard]] bool may_have_recipes(std::string_view text);

// Returns true if code in this text may construct objects of a dialect, or run a program of one.
[[nodiscard]] bool may_have_objects(std::string_view text);

// Returns true if a script with this text may load recipes from other files.
[[nodiscard]] bool may_load_recipes(std::string_view text);

}  // namespace sparsecfg::places
