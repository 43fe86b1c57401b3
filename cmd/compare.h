#pragma once

#include <optional>
#include <string>

#include "cmd/options.h"
#include "cmd/reading.h"
#include "diff/report.h"

// The comparison of two recipes, and of all recipes in a folder.
namespace sparsecfg::cmd {

struct DiffOptions {
  ReadingOptions reading;
  std::string before;  // a file, or a git revision of `after`
  std::string after;   // a file, or a folder
  std::string format = "text";
  std::string plot = "auto";
  Output output;
};

// The report of a comparison, and the exit status: kClean for the same effect, kErrors for a different one, kUsage if
// something could not be compared.
struct Report {
  std::string text;
  int status = kUsage;
};

// Compares two files, each of which may have several recipes.
[[nodiscard]] Report compare_files(const DiffOptions& options, const Streams& streams);

// Compares the recipes below the folder `after` with those of the git revision `before`. Reads the modules, imports and
// recipe files that a recipe uses in the revision, too, so a change of these is a change of the recipe. Files that are
// no recipes are skipped. A deleted recipe is a difference, a new one is none.
[[nodiscard]] Report compare_folder(const DiffOptions& options, const Streams& streams);

// Reads the file `after` at the git revision `before`, under its old name if it has been renamed since. Returns nullopt
// after a message if the revision lacks it.
[[nodiscard]] std::optional<ReadRecipe> read_older(const DiffOptions& options, const Streams& streams);

// Reads a file of the git revision `before` that is no longer there, by its path from the root of the repository that
// contains `folder`.
[[nodiscard]] std::optional<ReadRecipe> read_deleted(const DiffOptions& options, const std::string& from_root,
                                                     const std::string& folder, const Streams& streams);

// Returns the recipe file that a script without recipes passes to a call, or else the script.
[[nodiscard]] std::optional<ReadRecipe> followed(std::optional<ReadRecipe> read, const DiffOptions& options,
                                                 const Streams& streams);

// Returns true for a script without a recipe. It may be a module of other scripts.
[[nodiscard]] bool is_module(const Compilation& compilation);

// Returns the report of a difference in the chosen format.
[[nodiscard]] std::string render(const DiffOptions& options, const diff::Difference& difference,
                                 const Compilation& before, const Compilation& after, const diff::Names& names);

}  // namespace sparsecfg::cmd
