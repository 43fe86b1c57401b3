#include "convert/convert.h"

#include <algorithm>
#include <iterator>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "convert/report.h"

namespace sparsecfg::cmd {

struct ConvertOptions {
  ReadingOptions reading;
  std::string path;
  std::string to;
  Output output;
  bool report_json = false;
  bool allow_loss = false;
  bool assume_gaussian = false;
  bool keep_variables = false;
};

// What is lost is an error, unless it is allowed.
static void allow(std::vector<diag::Diagnostic>& diagnostics) {
  for (diag::Diagnostic& diagnostic : diagnostics) {
    const bool is_loss = diagnostic.info != &diag::limits_exceeded.info;
    if (is_loss && diagnostic.severity == diag::Severity::error) diagnostic.severity = diag::Severity::warning;
  }
}

static bool has_errors(const std::vector<diag::Diagnostic>& diagnostics) {
  return std::ranges::any_of(
      diagnostics, [](const diag::Diagnostic& diagnostic) { return diagnostic.severity == diag::Severity::error; });
}

// Prints what the lines of the report do not say.
static std::vector<diag::Diagnostic> beyond_actions(const convert::Conversion& conversion) {
  std::vector<diag::Diagnostic> out;
  std::ranges::copy_if(conversion.diagnostics, std::back_inserter(out), [&](const diag::Diagnostic& diagnostic) {
    return std::ranges::none_of(conversion.fidelity, [&](const convert::Fidelity& each) {
      return std::ranges::find(each.codes, diagnostic.info->code) != each.codes.end();
    });
  });
  return out;
}

// Whether all of it could be read: what is wrong with it may be ignored, but not written.
static bool is_whole(const ir::Recipe& recipe) { return std::ranges::all_of(recipe.actions, &ir::Action::valid); }

// Whether the framework runs the recipe and passes over some fields of it, so that nothing else is wrong with it.
static bool only_loses_fields(const Compilation& compilation) {
  return compilation.recipe && is_whole(*compilation.recipe) &&
         std::ranges::all_of(compilation.diagnostics, [](const diag::Diagnostic& each) {
           return each.severity != diag::Severity::error || each.info == &diag::unknown_field.info;
         });
}

static int convert_to(const dialect::Dialect& to, const ReadRecipe& read, const ConvertOptions& options,
                      const Streams& streams) {
  const Compilation& compilation = read.compilation;
  const convert::Request request{&to, read.options->compile, read.options->settings.initial_rate,
                                 options.keep_variables, options.assume_gaussian};
  const bool compares =
      convert::has_steps(*compilation.recipe, to) && !convert::is_onto_itself(*compilation.recipe, to);
  if (compares && !convert::run_of(*compilation.recipe, request)) {
    const bool timed = compilation.recipe->has_timeline();
    complain(streams.err, options.path,
             timed ? "the recipe does not say how long to train; add --epochs" : "it has no timeline to be kept");
    return kUsage;
  }
  convert::Conversion conversion = convert::convert(compilation, request);
  if (!conversion.faulty) {
    read.options->settings.levels.apply(conversion.diagnostics);
  }
  if (options.allow_loss && !conversion.faulty) {
    allow(conversion.diagnostics);
  }
  conversion.written = !conversion.text.empty() && !has_errors(conversion.diagnostics);
  if (options.report_json) {
    streams.err << convert::report_json(conversion, compilation, to.name);
  } else {
    show_findings(compilation, beyond_actions(conversion), streams);
    const bool keeps_all = to.keeps_any() && !conversion.drops;  // which goes without saying
    streams.err << (keeps_all ? "" : convert::report_text(conversion, compilation));
  }
  if (conversion.faulty) {
    return kInternal;
  }
  return conversion.written ? write_output(options.output, {options.path}, conversion.text, streams) : kErrors;
}

static int convert(const ConvertOptions& options, const Streams& streams) {
  auto read = read_recipe(options.path, options.reading, streams, Findings::all);
  if (!read) {
    return kUsage;
  }
  Compilation& compilation = read->compilation;
  read->options->settings.levels.apply(compilation.diagnostics);
  const bool loses_fields = compilation.count(diag::Severity::error) > 0 && only_loses_fields(compilation);
  if (loses_fields && options.allow_loss) {
    allow(compilation.diagnostics);
  }
  const bool failed = compilation.count(diag::Severity::error) > 0 || !compilation.recipe;
  if (failed || !options.report_json) {
    show_findings(compilation, compilation.diagnostics, streams);
  }
  if (!failed && !is_whole(*compilation.recipe)) {
    complain(streams.err, options.path, "a part of it can't be read, as findings say that are not shown here");
    return kErrors;
  }
  if (failed && loses_fields) {
    complain(streams.err, options.path,
             "nothing is written; --allow-loss writes it as it is run, without these fields");
  }
  return failed ? kErrors : convert_to(*dialect::find_dialect(options.to), *read, options, streams);
}

static std::vector<Option> options_of(ConvertOptions& own) {
  const auto writes = [](const dialect::Dialect& dialect) { return dialect.write != nullptr; };
  std::vector<Option> out = {
      choice(
          "--to", "FORM", dialects_that(writes), [&own](const std::string& to) { own.to = to; },
          "What to write: a dialect, its own for the normalized recipe, ir, the schedule as JSON, or pytorch, a "
          "Python file that runs it"),
      output(own.output),
      force(own.output),
      initial_rate(own.reading),
      text_or_json("--report", own.report_json, "How to report what was kept"),
      flag("--allow-loss", own.allow_loss, "Write what can be written where a part is lost"),
      flag("--assume-gaussian", own.assume_gaussian,
           "Take thresholds in standard deviations for the levels that they are of normally distributed weights"),
      flag("--keep-variables", own.keep_variables, "Keep variables and expressions as they are"),
  };
  append(out, level_options(own.reading.request.settings));
  append(out, reading_options(own.reading));
  return out;
}

Command convert_command() {
  Command command = recipe_command("convert", "Write a recipe in another form", options_of, convert);
  command.required = {"--to"};
  return command;
}

}  // namespace sparsecfg::cmd
