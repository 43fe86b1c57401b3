#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/options.h"
#include "source/save.h"

namespace sparsecfg::cmd {

// A compiled recipe and the options that apply to it.
struct ReadRecipe {
  std::unique_ptr<project::Project> project;      // owns the settings
  std::unique_ptr<project::FileOptions> options;  // with the names of the model
  Compilation compilation;
};

// Findings that a command shows. To search only for errors is faster.
enum class Findings { all, errors };

// Treatment of a file with several recipes if the command line selects none of them.
enum class Several { refused, listed };

// Reads and checks a recipe, or standard input for `-`. The path may end in `:LINE`, a line of the recipe. Returns
// nullopt after an error message on `err` if the recipe cannot be read.
[[nodiscard]] std::optional<ReadRecipe> read_recipe(const std::string& path, const ReadingOptions& reading,
                                                    const Streams& streams, Findings findings,
                                                    Several several = Several::refused);

// Checks a revision of the recipe at `path` for errors, with the settings of the path.
[[nodiscard]] std::optional<ReadRecipe> read_revision(const std::string& path, std::string text,
                                                      std::shared_ptr<const source::View> view,
                                                      const ReadingOptions& reading, const Streams& streams,
                                                      Several several = Several::refused);

// Reads the recipe file that a script without recipes passes to a call, with the model that the call receives.
// Returns nullopt if the script names no file or several, or if the file cannot be read.
[[nodiscard]] std::optional<ReadRecipe> read_reference(const ReadRecipe& script, const ReadingOptions& reading,
                                                       const Streams& streams);

// Returns the findings with severity error.
[[nodiscard]] std::vector<diag::Diagnostic> errors_of(const Compilation& compilation);

// Makes each line of `text` safe for a terminal, as base::printable() does for a line.
[[nodiscard]] std::string printable_lines(std::string_view text);

// Prints why a recipe cannot be evaluated although no finding that counts is an error: its notes, such as on a pattern
// that only Python can read, and errors that are ignored. Prints nothing if there are errors.
void show_obstacle(const ReadRecipe& read, const Streams& streams);

// Returns the chosen recipe of a script if it has no schedule only because values are unknown; otherwise null.
[[nodiscard]] const ir::FoundRecipe* recipe_without_schedule(const Compilation& compilation);

// Prints findings. Info findings are printed only with --verbose.
void show_findings(const Compilation& compilation, std::span<const diag::Diagnostic> findings, const Streams& streams);

// Writes the output of a command to a file. An empty path, `-` and /dev/stdout mean standard output. Rejects a path
// that is one of `inputs`, and an existing file without `force`. Returns kClean or kUsage.
[[nodiscard]] int write_output(const Output& output, const std::vector<std::string>& inputs,
                               const source::Produce& produce, const Streams& streams);
[[nodiscard]] int write_output(const Output& output, const std::vector<std::string>& inputs, const std::string& text,
                               const Streams& streams);

// Writes text as above, and prints "written to FILE" if the output is a file.
[[nodiscard]] int write_and_name(const Output& output, const std::vector<std::string>& inputs, const std::string& text,
                                 const Streams& streams);

// Prints the text of a command for people, with colors and wrapped lines if it goes to a terminal. `show_text` writes
// to standard output, `show_report` to standard error, and `page` prepares the text for an output that may be a file.
void show_text(const std::string& text, const Streams& streams);
void show_report(const std::string& text, const Streams& streams);
[[nodiscard]] std::string page(const std::string& text, const Output& output, const Streams& streams);

// Prints an error message such as `sparsecfg: recipe.yaml: no such file`.
void complain(std::ostream& err, const std::string& what, const std::string& why);

// Prints a problem of the options or of a config file.
void complain(std::ostream& err, const project::Problem& problem);

// Complains about --set if no recipe can have variables: a script constructs all of them. Returns false then.
[[nodiscard]] bool accepts_variables(const ReadingOptions& reading, std::span<const Compilation* const> compilations,
                                     const Streams& streams);

// Warns about options of the command line that need another option, which neither the command line nor the config file
// of any of these files sets.
void warn_of_useless_options(const ReadingOptions& reading, std::span<const project::FileOptions* const> files,
                             const Streams& streams);

// Prints a progress line on standard error, only with --verbose.
void note(const Streams& streams, const std::string& line);

}  // namespace sparsecfg::cmd
