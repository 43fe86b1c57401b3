#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compile.h"
#include "dialect/checkpoint/serving.h"
#include "source/shell_words.h"

// Commands of scripts and documents that serve a checkpoint.
namespace sparsecfg {

struct ServedModels {
  std::vector<dialect::checkpoint::ServeCommand> commands;
  std::set<std::string, std::less<>> written;  // folders that other commands of the same script write

  // Adds the commands of a script.
  void add(const std::vector<source::ShellCommand>& script);
};

// Returns a folder without `./` at its start and `/` at its end.
[[nodiscard]] std::string_view plain_folder(std::string_view path);

// Returns the folder in which a command saves its result: the value of an option such as `--output_dir`.
[[nodiscard]] std::string_view result_folder(const source::ShellCommand& command);

struct ServedFindings {
  std::vector<diag::Diagnostic> findings;
  std::vector<RecipeReference> references;  // the configurations of quantized folders
};

// Checks the commands against the models that they load.
[[nodiscard]] ServedFindings check_served(const source::SourceFile& file, const ServedModels& served,
                                          const CompileOptions& options);

}  // namespace sparsecfg
