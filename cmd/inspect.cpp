#include "inspect/inspect.h"

#include <algorithm>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"

namespace sparsecfg::cmd {

struct InspectOptions {
  ReadingOptions reading;
  std::string path;
  bool json = false;
};

static int inspect(const InspectOptions& options, const Streams& streams) {
  const auto read = read_recipe(options.path, options.reading, streams);
  if (!read) {
    return kUsage;
  }
  const Compilation& result = read->compilation;
  std::vector<diag::Diagnostic> errors = result.diagnostics;
  std::erase_if(errors, [](const diag::Diagnostic& each) { return each.severity != diag::Severity::error; });
  const bool failed = !errors.empty();
  show_findings(result, std::move(errors), streams);
  if (!result.recipe || !std::ranges::all_of(result.recipe->actions, &ir::Action::valid)) {
    return kErrors;
  }
  const dialect::ReadOptions& run = read->options->compile.read;
  const inspect::Facts facts = inspect::gather(*result.recipe, run.epochs, run.steps_per_epoch);
  streams.out << (options.json ? inspect::json(*result.recipe, facts, result.file->name())
                               : inspect::text(*result.recipe, facts));
  return failed ? kErrors : kClean;
}

static std::vector<Option> options_of(InspectOptions& own) {
  std::vector<Option> out = {
      choice(
          "--format", "FORMAT", {"text", "json"}, [&own](const std::string& format) { own.json = format == "json"; },
          "How to print it (default: text)"),
  };
  append(out, reading_options(own.reading));
  return out;
}

Command inspect_command() {
  const auto options = std::make_shared<InspectOptions>();
  Command command{"inspect", "Print what a training script has to know of a recipe",
                  "FILE",    "The recipe, or - for standard input",
                  1,         1};
  command.options = [options] { return options_of(*options); };
  command.run = [options](const std::vector<std::string>& files, const Streams& streams) {
    options->path = files.front();
    return inspect(*options, streams);
  };
  return command;
}

}  // namespace sparsecfg::cmd
