#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "source/search.h"

namespace sparsecfg::cmd {

struct InitOptions {
  Output output;
};

// "7 recipes found: 5 llm-compressor, 2 sparseml"
static std::string found_recipes(const std::string& folder, const Streams& streams) {
  project::Project project{project::Request()};
  const project::Validation found = project::validate_paths({.paths = {folder}}, project, streams.in);
  std::map<std::string, std::size_t> dialects;
  for (const Compilation& each : found.compilations) ++dialects[each.dialect.value_or("unknown")];
  std::vector<std::string> parts;
  for (const auto& [dialect, count] : dialects) parts.push_back(fmt::format("{} {}", count, dialect));
  if (found.compilations.empty()) return "no recipes found; `sparsecfg create` writes one";
  return fmt::format("{} found{}{}\ncheck them with `sparsecfg validate`",
                     base::counted(found.compilations.size(), "recipe"), parts.empty() ? "" : ": ",
                     fmt::join(parts, ", "));
}

static int init(InitOptions& options, const std::vector<std::string>& folders, const Streams& streams) {
  const std::string folder = folders.empty() ? "." : folders.front();
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    complain(streams.err, folder, "not a folder");
    return kUsage;
  }
  const std::string summary = found_recipes(folder, streams);
  if (options.output.path.empty()) {
    options.output.path =
        folders.empty() ? ".sparsecfg.yaml" : (std::filesystem::path(folder) / ".sparsecfg.yaml").native();
  }
  const int status = write_output(options.output, {}, project::settings_template(), streams);
  if (status == kClean && !streams.quiet) {
    const bool to_stream = options.output.path == "-" || options.output.path == "/dev/stdout";
    if (!to_stream) streams.err << fmt::format("wrote {}\n", base::printable(options.output.path));
    show_report(summary + "\n", streams);
  }
  return status;
}

static std::vector<Option> options_of(InitOptions& own) {
  Option out = output(own.output);
  out.doc = "Output file, or - for standard output (default: .sparsecfg.yaml in the folder)";
  return {std::move(out), force(own.output)};
}

Command init_command() {
  return with_options<InitOptions>({"init", "Write a config file with all settings as comments", "FOLDER",
                                    "Folder of the project (default: the current folder)", 0, 1},
                                   options_of, init);
}

}  // namespace sparsecfg::cmd
