#include "match/matching.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/reading.h"
#include "diag/render_text.h"

namespace sparsecfg::cmd {

static int explain_name(const match::Matching& matching, const std::string& name, const Streams& streams) {
  if (const auto explained = matching.explain(name)) {
    streams.out << *explained;
    return kClean;
  }
  const auto guess = matching.nearest(name);
  complain(
      streams.err, name,
      guess ? fmt::format("no such name; did you mean {}?", base::printable(*guess)) : "the model has no such name");
  return kUsage;
}

int match(const MatchOptions& options, const Streams& streams) {
  auto prepared = prepare(options.reading, streams.err);
  if (!prepared) {
    return kUsage;
  }
  if (prepared->parameters == nullptr && prepared->modules == nullptr) {
    complain(streams.err, "match", "--params or --modules says which names the model has");
    return kUsage;
  }
  auto compiled = compile_file(options.path, options.reading, prepared->compile, streams);
  if (!compiled) {
    return kUsage;
  }
  Compilation& result = *compiled;
  std::erase_if(result.diagnostics,
                [](const diag::Diagnostic& diagnostic) { return diagnostic.severity == diag::Severity::info; });
  streams.err << diag::render_text(*result.file, result.diagnostics, {streams.color, streams.columns});
  if (!result.recipe || !std::ranges::all_of(result.recipe->actions, &ir::Action::valid)) {
    return kErrors;
  }
  const match::Matching matching(*result.recipe, prepared->parameters.get(), prepared->modules.get());
  if (!matching.complete()) {
    complain(streams.err, options.path, "its selectors take more names than can be listed");
    return kUsage;
  }
  if (options.format == Format::json) {
    streams.out << matching.json();
  } else if (options.name.empty()) {
    streams.out << matching.text();
  } else if (const int status = explain_name(matching, options.name, streams); status != kClean) {
    return status;
  }
  return result.count(diag::Severity::error) > 0 ? kErrors : kClean;
}

}  // namespace sparsecfg::cmd
