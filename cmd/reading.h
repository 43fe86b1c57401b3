#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cmd/options.h"
#include "source/save.h"

namespace sparsecfg::cmd {

// One recipe that was read, with the options that hold for it.
struct ReadRecipe {
  std::unique_ptr<project::Project> project;  // owns the options
  const project::FileOptions* options = nullptr;
  Compilation compilation;
};

// Which findings of a recipe a command shows. It takes less time to look for errors alone.
enum class Findings { all, errors };

// Reads a recipe, or standard input for `-`, and checks it. Returns nullopt if it can't be read; `err` then says why.
[[nodiscard]] std::optional<ReadRecipe> read_recipe(const std::string& path, const ReadingOptions& reading,
                                                    const Streams& streams, Findings findings);

// Reads a recipe whose text is at hand already and looks for errors; `name` is what findings call it.
[[nodiscard]] std::optional<ReadRecipe> read_text(const std::string& name, std::string text,
                                                  const ReadingOptions& reading, const Streams& streams);

// The findings of a recipe that are errors.
[[nodiscard]] std::vector<diag::Diagnostic> errors_of(const Compilation& compilation);

// Prints findings, info ones only with --verbose.
void show_findings(const Compilation& compilation, std::span<const diag::Diagnostic> findings, const Streams& streams);

// Writes what a command makes of `inputs` to a file. An empty path, `-` and /dev/stdout are standard output.
// Refuses any of the inputs, and a file that exists if `force` does not say otherwise. Returns kClean or kUsage.
[[nodiscard]] int write_output(const Output& output, const std::vector<std::string>& inputs,
                               const source::Produce& produce, const Streams& streams);
[[nodiscard]] int write_output(const Output& output, const std::vector<std::string>& inputs, const std::string& text,
                               const Streams& streams);

// `sparsecfg: recipe.yaml: no such file`
void complain(std::ostream& err, const std::string& what, const std::string& why);

// A line on standard error about what is done, with --verbose alone.
void note(const Streams& streams, const std::string& line);

}  // namespace sparsecfg::cmd
