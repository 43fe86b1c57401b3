#include "convert/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "convert/refusals.h"
#include "dialect/back_ends.h"

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

// Turns errors about dropped parts into warnings (--allow-loss).
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

// Returns the diagnostics that the lines of the report do not mention.
static std::vector<diag::Diagnostic> beyond_actions(const convert::Conversion& conversion) {
  std::vector<diag::Diagnostic> out;
  std::ranges::copy_if(conversion.diagnostics, std::back_inserter(out), [&](const diag::Diagnostic& diagnostic) {
    return std::ranges::none_of(conversion.fidelity, [&](const convert::Fidelity& each) {
      return std::ranges::find(each.codes, diagnostic.info->code) != each.codes.end();
    });
  });
  return out;
}

// Returns true if every action could be read. A framework may ignore an unreadable action, but it can't be written.
static bool is_whole(const ir::Recipe& recipe) { return std::ranges::all_of(recipe.actions, &ir::Action::valid); }

// Returns true if the framework runs the recipe without the parts that have errors, such as unknown fields.
static bool only_loses_parts(const Compilation& compilation) {
  return compilation.recipe && is_whole(*compilation.recipe) &&
         std::ranges::all_of(compilation.diagnostics, [](const diag::Diagnostic& each) {
           return each.severity != diag::Severity::error || each.info == &diag::unknown_field.info ||
                  each.info->silent_loss;
         });
}

static convert::Request request_of(const dialect::Dialect& to, const ReadRecipe& read, const ConvertOptions& options) {
  return {&to, read.options->compile, read.options->settings.initial_rate, options.keep_variables,
          options.assume_gaussian};
}

// Omits the parts of a recipe that the framework ignores.
static void leave_out_parts(Compilation& compilation) {
  allow(compilation.diagnostics);
  convert::remove_unknown_fields(*compilation.recipe, compilation.diagnostics);
}

// Returns true if --allow-loss would write the recipe without the parts that have errors.
static bool is_written_with_loss(ReadRecipe& read, const ConvertOptions& options) {
  leave_out_parts(read.compilation);
  const convert::Request request = request_of(*dialect::find_dialect(options.to), read, options);
  const bool compares = convert::has_steps(*read.compilation.recipe, *request.to) &&
                        !convert::is_onto_itself(*read.compilation.recipe, *request.to);
  if (compares && !convert::run_of(*read.compilation.recipe, request)) {
    return false;
  }
  convert::Conversion conversion = convert::convert(read.compilation, request);
  read.options->settings.levels.apply(conversion.diagnostics);
  allow(conversion.diagnostics);
  return !conversion.text.empty() && !has_errors(conversion.diagnostics);
}

static int convert_to(const dialect::Dialect& to, const ReadRecipe& read, const ConvertOptions& options,
                      const Streams& streams) {
  const Compilation& compilation = read.compilation;
  const convert::Request request = request_of(to, read, options);
  const bool compares =
      convert::has_steps(*compilation.recipe, to) && !convert::is_onto_itself(*compilation.recipe, to);
  if (compares && !convert::run_of(*compilation.recipe, request)) {
    const bool timed = compilation.recipe->has_timeline();
    complain(streams.err, options.path,
             timed ? "the recipe has no training length; pass --epochs" : "the recipe has no timeline to convert");
    return kUsage;
  }
  convert::Conversion conversion = convert::convert(compilation, request);
  read.options->settings.levels.apply(conversion.diagnostics);
  if (options.allow_loss) {
    allow(conversion.diagnostics);
  }
  conversion.written = !conversion.text.empty() && !has_errors(conversion.diagnostics);
  if (options.report_json) {
    streams.err << convert::report_json(conversion, compilation, to.name);
  } else {
    show_findings(compilation, beyond_actions(conversion), streams);
    const bool keeps_all = to.is_lossless() && !conversion.drops;  // so no report is needed
    if (!keeps_all) show_report(printable_lines(convert::report_text(conversion, compilation)), streams);
  }
  const bool is_archived = !to.maintained && !to.is_lossless();
  const bool stays = to.name == compilation.recipe->dialect;
  if (is_archived && !stays && streams.progress && !streams.quiet && !options.report_json) {
    show_report(
        fmt::format("note: {} is no longer developed; `--to pytorch` writes a script for current PyTorch\n", to.title),
        streams);
  }
  const auto write = options.report_json ? static_cast<decltype(&write_and_name)>(write_output) : write_and_name;
  const int status = conversion.written ? write(options.output, {options.path}, conversion.text, streams) : kErrors;
  return conversion.faulty ? std::max(status, kErrors) : status;
}

static int convert(const ConvertOptions& options, const Streams& streams) {
  auto read = read_recipe(options.path, options.reading, streams, Findings::all);
  if (!read) {
    return kUsage;
  }
  Compilation& compilation = read->compilation;
  read->options->settings.levels.apply(compilation.diagnostics);
  const bool loses_parts = compilation.count(diag::Severity::error) > 0 && only_loses_parts(compilation);
  if (loses_parts && options.allow_loss) {
    leave_out_parts(compilation);
  }
  const bool failed = compilation.count(diag::Severity::error) > 0 || !compilation.recipe;
  if (failed || !options.report_json) {
    show_findings(compilation, compilation.diagnostics, streams);
  }
  if (!failed && !is_whole(*compilation.recipe)) {
    show_obstacle(*read, streams);
    return kErrors;
  }
  if (failed && loses_parts && is_written_with_loss(*read, options)) {
    complain(streams.err, options.path, "nothing was written; --allow-loss writes the recipe without these parts");
  } else if (compilation.only_serves) {
    show_obstacle(*read, streams);
  } else if (failed) {
    complain(streams.err, options.path, "nothing was written, because the recipe has errors");
  }
  return failed ? kErrors : convert_to(*dialect::find_dialect(options.to), *read, options, streams);
}

static std::vector<Option> options_of(ConvertOptions& own) {
  const auto writes = [](const dialect::Dialect& dialect) { return dialect::is_written(dialect); };
  std::vector<Option> out = {
      choice(
          "--to", "FORM", dialects_that(writes), [&own](const std::string& to) { own.to = to; },
          "Output format: a dialect (the recipe's own to normalize it), ir (the schedule as JSON) or pytorch (a script "
          "for current PyTorch, without an archived framework)"),
      output(own.output),
      force(own.output),
      initial_rate(own.reading),
      text_or_json("--report", own.report_json, "Format of the conversion report"),
      flag("--allow-loss", own.allow_loss, "Write the output even if parts cannot be converted"),
      flag("--assume-gaussian", own.assume_gaussian,
           "Assume normally distributed weights when converting std-dev thresholds"),
      flag("--keep-variables", own.keep_variables, "Keep variables and expressions instead of evaluating them"),
  };
  append(out, level_options(own.reading.request.settings));
  append(out, reading_options(own.reading));
  out.push_back(recipe_number(own.reading));
  return out;
}

Command convert_command() {
  Command command = recipe_command("convert", "Convert a recipe to another format", options_of, convert);
  command.required = {"--to"};
  return command;
}

}  // namespace sparsecfg::cmd
