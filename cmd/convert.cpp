#include "cmd/commands.h"
#include "cmd/reading.h"
#include "diag/render_text.h"
#include "ir/dump.h"

namespace sparsecfg::cmd {

int convert(const ConvertOptions& options, const Streams& streams) {
  auto prepared = prepare(options.reading, streams.err);
  if (!prepared) {
    return kUsage;
  }
  source::Loaded text = load(options.path, options.reading.limits, streams.in);
  const auto* failure = std::get_if<source::LoadError>(&text);
  if (failure != nullptr && !failure->too_large) {
    complain(streams.err, options.path, failure->reason);
    return kUsage;
  }
  prepared->compile.parameters = options.reading.parameters.empty() ? nullptr : &prepared->parameters;
  Compilation result = compile(name_of(options.path, options.reading), std::move(text), prepared->compile);
  std::erase_if(result.diagnostics, [](const diag::Diagnostic& diagnostic) { return diagnostic.severity == diag::Severity::info; });
  streams.err << diag::render_text(*result.file, result.diagnostics, {streams.color, streams.columns});
  if (result.count(diag::Severity::error) > 0) {
    return kErrors;
  }
  const std::string json = ir::dump(*result.recipe, *result.file);
  if (options.output.empty()) {
    streams.out << json;
  } else if (const auto unwritten = source::write_file_atomically(options.output, json)) {
    complain(streams.err, options.output, *unwritten);
    return kUsage;
  }
  return kClean;
}

}  // namespace sparsecfg::cmd
