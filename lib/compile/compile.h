#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "architecture/build.h"
#include "compile/requirement.h"
#include "diag/diagnostic.h"
#include "dialect/distiller/training_command.h"
#include "dialect/options.h"
#include "doc/readers.h"
#include "ir/found_recipe.h"
#include "ir/recipe.h"
#include "model/model_names.h"
#include "source/load.h"
#include "source/source_file.h"

namespace sparsecfg::architecture {
class UserModel;
}

// Compiles source text to a schedule and its diagnostics. Commands and tests use only this interface.
namespace sparsecfg {

struct CompileOptions {
  std::optional<std::string> from;  // dialect; nullopt detects it from the content
  dialect::ReadOptions read;
  doc::Limits limits;
  const model::ModelNames* parameters = nullptr;  // parameters of the whole model; null if unknown
  const model::ModelNames* modules = nullptr;
  std::shared_ptr<const architecture::UserModel> model;  // --model; null if unknown
  architecture::Build build;  // the load call and the releases that decide the names of the model
  // Returns the model that a recipe refers to, or null: a folder or an id that the script names, or, for an empty
  // reference, the `config.json` next to the recipe. May be called by several threads. Used if the names are unknown.
  std::function<std::shared_ptr<const architecture::UserModel>(const std::string& recipe, const std::string& reference)>
      find_model;
  Requirements requirements{};              // of the project
  std::optional<ir::CallModel> passed{};    // the model that scripts pass with a recipe file
  std::string passed_in{};                  // such a script
  std::shared_ptr<model::WorkLimit> limit;  // of the work for patterns; null: each recipe has its own
  std::array<std::shared_ptr<const model::ModelNames>, 2> of_model{};  // own the parameters and modules of the model
  std::optional<std::size_t> recipe;           // number of the recipe in a file with several, from 1
  std::optional<std::uint32_t> line;           // a line of the recipe in such a file
  std::shared_ptr<const source::View> view{};  // of the text; null: the file on the disk
  bool skip_unknown = false;                   // skips files that no dialect claims, instead of reporting an error
  bool gpus_rejected = false;                  // true if the number of GPUs does not fit the model, which is reported
  bool errors_only = false;                    // omits warnings that are slow to compute
};

// A release of a framework that the project requires, as the value of a reader option.
struct AssumedRelease {
  std::string option;  // "llmc"
  std::string value;   // "0.10"
  std::string why;     // "`llmcompressor==0.10.1` in pyproject.toml:7"
};

// A recipe file that a script passes to a call, with its model.
struct RecipeReference {
  std::string path;
  std::optional<ir::CallModel> model;
  std::string_view runtime{};  // that a command serves the checkpoint of the file with; empty: the file is a recipe
  std::uint64_t gpus = 1;      // of this runtime, for each layer
  std::optional<dialect::distiller::TrainingRun> run{};  // that a command starts with the file
  std::string_view dialect{};                            // in which the command reads the file; empty: the file decides
};

// A recipe that a script passes to a call, and that is unknown.
struct UnreadRecipe {
  source::Span span;
  std::string why;  // "it depends on `os.environ` (line 3)"
};

// The model with which a recipe was compiled.
struct RecipeModel {
  std::shared_ptr<const architecture::UserModel> model;  // may be null
  std::string unknown;                                   // why a call passes no known model; may be empty
  std::string unused;                                    // why the recipe does not use the model, as a clause
  std::string effect;                                    // what the recipe does to the model, in one line
};

struct Compilation {
  std::unique_ptr<source::SourceFile> file;
  std::optional<std::string> dialect;                    // nullopt if not specified and not detected
  std::shared_ptr<const architecture::UserModel> model;  // of the recipe, or of all recipes; null: unknown, or several
  std::optional<AssumedRelease> release;                 // that the project requires; nullopt: of the options, or none
  std::vector<RecipeModel> models;                       // of `recipes`, or of a file without any; may be empty
  std::optional<ir::Recipe> recipe;           // nullopt if the file could not be read, or has several recipes
  std::vector<ir::FoundRecipe> recipes;       // all recipes of the file
  std::optional<ir::CallModel> passed;        // of a recipe file: the model that a script passes with it
  std::optional<std::size_t> chosen;          // of `recipes`: the one that was compiled
  std::optional<source::Span> part;           // of a chosen recipe that is a part of the text of the file
  std::vector<RecipeReference> references;    // recipe files that a script loads
  std::vector<UnreadRecipe> unread;           // recipes of a script that are unknown
  std::vector<diag::Diagnostic> diagnostics;  // sorted by location
  bool parallel = false;                      // true if the recipe names the modules of a model in DataParallel
  bool several = false;                       // true if the file has several recipes and none of them was chosen
  bool skipped = false;                       // true if the file is not a recipe and `skip_unknown` is set
  bool passed_over = false;                   // skipped, although the script mentions configurations
  bool only_serves = false;                   // true if the commands of the file only serve or evaluate models
  bool checked = false;                       // true if all actions are valid, so that all checks applied

  [[nodiscard]] std::size_t count(diag::Severity severity) const;
  // Returns true if the framework would run the recipe, possibly without the parts that it drops. Only such recipes
  // have a timeline.
  [[nodiscard]] bool runs() const;
};

// Compiles a recipe. `name` is the path or a substitute for it; its extension selects the format. `text` is the
// contents, or the error for a file that is too large.
[[nodiscard]] Compilation compile(std::string name, source::Loaded text, const CompileOptions& options);

}  // namespace sparsecfg
