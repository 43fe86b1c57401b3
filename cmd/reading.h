#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cmd/commands.h"

namespace sparsecfg::cmd {

// The options of a command line made ready for the pipeline. Owns what the pipeline points at.
struct Prepared {
  CompileOptions compile;
  std::unique_ptr<ir::ModelNames> parameters;  // null where none are given
  std::unique_ptr<ir::ModelNames> modules;
};

// Reads --set, --params and --modules. Nothing where one of them can't be read; `err` then says why.
[[nodiscard]] std::optional<Prepared> prepare(const ReadingOptions& options, std::ostream& err);

// The text of a file, or of standard input for `-`, or why there is none.
[[nodiscard]] source::Loaded load(const std::string& path, const doc::Limits& limits, std::istream& in);

// Loads a file, or standard input for `-`, and runs it through the pipeline. Nothing where it can't be
// read; `err` then says why.
[[nodiscard]] std::optional<Compilation> compile_file(const std::string& path, const ReadingOptions& options,
                                                      const CompileOptions& compile_options, const Streams& streams);

// The name that a file goes by in messages, and whose ending says how the text holds the recipe:
// its path, or for `-` what --stdin-filename says.
[[nodiscard]] const std::string& name_of(const std::string& path, const ReadingOptions& options);

// `sparsecfg: recipe.yaml: no such file`
void complain(std::ostream& err, const std::string& what, const std::string& why);

}  // namespace sparsecfg::cmd
