#include "inspect/inspect.h"

#include <algorithm>

#include "cmd/commands.h"
#include "cmd/reading.h"

namespace sparsecfg::cmd {

int inspect(const InspectOptions& options, const Streams& streams) {
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

}  // namespace sparsecfg::cmd
