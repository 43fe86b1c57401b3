#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "dialect/options.h"
#include "doc/readers.h"
#include "ir/model_names.h"
#include "ir/recipe.h"
#include "source/load.h"
#include "source/source_file.h"

// The one pipeline: a text in, its schedule and all that is wrong with it out. The commands and
// the tests call this and nothing deeper.
namespace sparsecfg {

struct CompileOptions {
  std::optional<std::string> from;  // dialect; nothing: told from the content
  dialect::ReadOptions read;
  doc::Limits limits;
  const ir::ModelNames* parameters = nullptr;  // of the whole model; null: unknown
  const ir::ModelNames* modules = nullptr;
  bool skip_unknown = false;  // what no dialect claims is skipped instead of being an error
  bool errors_only = false;   // warnings that take long to find are left out
};

struct Compilation {
  std::unique_ptr<source::SourceFile> file;
  std::optional<std::string> dialect;         // nullopt if none was given and none could be detected
  std::optional<ir::Recipe> recipe;           // nullopt if the file could not be read at all
  std::vector<diag::Diagnostic> diagnostics;  // by place
  bool skipped = false;                       // no recipe, and nobody said it was one
  bool passed_over = false;                   // skipped, though it is a script that speaks of configurations
  bool checked = false;                       // the schedule was sound enough to be checked as a whole

  [[nodiscard]] std::size_t count(diag::Severity severity) const;
  // Returns true if the framework would run the recipe, be it with a part dropped: only then has it a
  // timeline.
  [[nodiscard]] bool runs() const;
};

// `name` is the path, or what stands for it: its ending says how the text holds the recipe.
// `text` is what was read, or why it is too large to be.
[[nodiscard]] Compilation compile(std::string name, source::Loaded text, const CompileOptions& options);

}  // namespace sparsecfg
