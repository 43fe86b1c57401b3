#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "compile/places.h"
#include "doc/language.h"
#include "outcome/outcome.h"

// The parts of compile().
namespace sparsecfg {

// Compiles the recipes in a script, a notebook or the blocks of a Markdown file. Returns false if it finds none.
bool compile_places(Compilation& out, const CompileOptions& options);

// Compiles a file that is one recipe, or contains one in its front matter or under a key. Returns the outcome of the
// recipe if it is known. `model_beside`: the model of the options is that of a `config.json` beside the file.
std::optional<outcome::Outcome> compile_whole(Compilation& out, const CompileOptions& options, bool model_beside);

struct Checked {
  bool valid = false;                         // true if all actions are valid, so that all checks applied
  std::optional<outcome::Outcome> outcome{};  // of a valid recipe for the modules of the options; refers to the recipe
};

// Runs the checks of a recipe.
Checked check_recipe(const ir::Recipe& recipe, const CompileOptions& options, diag::Sink& sink);

// The dialect that reads a document.
struct Choice {
  const dialect::Dialect* dialect = nullptr;   // null: no dialect claims the document
  std::optional<diag::Diagnostic> rejected{};  // why it is not the first dialect that claims the document
};

// Chooses the dialect of a document without `--from`. If several dialects can read it, this is the first one that
// reports no error. Names of a model do not count, because they say nothing about the dialect.
[[nodiscard]] Choice choose_dialect(const dialect::Source& source, const CompileOptions& options);

// Reports that a recipe is not read by the dialect that reads most recipes of this form (LC131).
void report_choice(const Choice& choice, const doc::Document& document, diag::Sink& sink);

// Returns the elements of a recipe. `text` is true if the loader converts every mapping to an object.
[[nodiscard]] std::vector<ir::Origin> origins_of(const ir::Recipe& recipe, const doc::Document& document, bool text);

// Returns the keys of collections that contain an unknown value, the keys that are placeholders, and such lists.
[[nodiscard]] std::set<source::Span> keys_of_unknown(const doc::Document& document);

// Resolves the fixes of findings, and removes findings that a comment accepts. `document` is null if it is unknown.
// `language`: of the values, if it differs from that of the file.
void settle_findings(const source::SourceFile& file, const doc::Document* document,
                     std::vector<diag::Diagnostic>& findings, std::optional<doc::Language> language = {});

// Returns the extension in lower case: "yaml" for "Recipe.YAML".
[[nodiscard]] std::string extension_of(const std::string& name);

}  // namespace sparsecfg
