#include "convert/convert.h"

#include <algorithm>

#include "cmd/commands.h"
#include "cmd/reading.h"
#include "convert/report.h"
#include "diag/render_text.h"

namespace sparsecfg::cmd {

static void show(const Compilation& compilation, std::vector<diag::Diagnostic> diagnostics,
                 const ConvertOptions& options, const Streams& streams) {
  if (!options.reading.verbose) {
    std::erase_if(diagnostics,
                  [](const diag::Diagnostic& diagnostic) { return diagnostic.severity == diag::Severity::info; });
  }
  streams.err << diag::render_text(*compilation.file, diagnostics, {streams.color, streams.columns});
}

static int write(const std::string& text, const ConvertOptions& options, const Streams& streams) {
  if (options.output.empty()) {
    streams.out << text;
  } else if (const auto unwritten = source::write_file_atomically(options.output, text)) {
    complain(streams.err, options.output, *unwritten);
    return kUsage;
  }
  return kClean;
}

// What is lost is an error, unless it is allowed.
static void allow(std::vector<diag::Diagnostic>& diagnostics) {
  for (diag::Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == diag::Severity::error) diagnostic.severity = diag::Severity::warning;
  }
}

static int convert_to(const dialect::Dialect& to, const Compilation& compilation, const ConvertOptions& options,
                      const Prepared& prepared, const Streams& streams) {
  const convert::Request request{&to, prepared.compile, options.initial_rate, options.keep_variables};
  if (!convert::is_onto_itself(*compilation.recipe, to) && !convert::run_of(*compilation.recipe, request)) {
    const bool timed = compilation.recipe->has_timeline();
    complain(streams.err, options.path,
             timed ? "the recipe does not say how long to train; --epochs does" : "it has no timeline to be kept");
    return kUsage;
  }
  convert::Conversion conversion = convert::convert(compilation, request);
  if (options.allow_loss && !conversion.faulty) {
    allow(conversion.diagnostics);
  }
  if (options.report == Format::json) {
    streams.err << convert::report_json(conversion, compilation, to.name);
  } else {
    show(compilation, conversion.diagnostics, options, streams);
    streams.err << (to.holds_any ? "" : convert::report_text(conversion, compilation));  // all of it is kept, always
  }
  if (conversion.faulty) {
    return kInternal;
  }
  return (conversion.drops && !options.allow_loss) || conversion.text.empty()
             ? kErrors
             : write(conversion.text, options, streams);
}

int convert(const ConvertOptions& options, const Streams& streams) {
  auto prepared = prepare(options.reading, streams.err);
  if (!prepared) {
    return kUsage;
  }
  const auto compiled = compile_file(options.path, options.reading, prepared->compile, streams);
  if (!compiled) {
    return kUsage;
  }
  const Compilation& compilation = *compiled;
  const bool failed = compilation.count(diag::Severity::error) > 0 || !compilation.recipe;
  if (failed || options.report == Format::text) {
    show(compilation, compilation.diagnostics, options, streams);
  }
  return failed ? kErrors : convert_to(*dialect::find_dialect(options.to), compilation, options, *prepared, streams);
}

}  // namespace sparsecfg::cmd
