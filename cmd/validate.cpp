#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"

namespace sparsecfg::cmd {

struct ValidateOptions {
  ReadingOptions reading;
  project::ValidationOptions files;
  std::string format;  // empty means the default format of the streams
  Output output;
  bool exit_zero = false;
  bool statistics = false;
};

static void complain_of_all(const project::Validation& validation, const Streams& streams) {
  for (const project::Problem& problem : validation.problems) {
    complain(streams.err, problem.what, problem.why);
  }
  for (const report::Failure& failure : validation.report.failures) {
    complain(streams.err, failure.path, failure.reason);
  }
}

static void note_work(const project::Validation& validation, const Streams& streams) {
  if (validation.inputs != 1) {
    note(streams, base::counted(validation.inputs, "file") + " read");
  }
  for (const auto& [path, removed] : validation.removed) {
    if (!path.empty()) {
      note(streams, fmt::format("{} and the command line exclude {}", path, base::counted(removed, "finding")));
    }
  }
}

// Renders the report. Annotation formats omit info findings, because readers cannot hide annotations.
static std::string render(project::Validation& validation, const report::Format& format, const ValidateOptions& options,
                          const Streams& streams) {
  report::Report& report = validation.report;
  if (options.statistics) {
    return report::render_statistics(report);
  }
  const bool summarized = format.name == "text";  // its summary counts the findings that are not shown
  if (!format.infos && !summarized && !streams.verbose) {
    for (report::FileReport& file : report.files) {
      std::erase_if(file.diagnostics, [](const auto& each) { return each.severity == diag::Severity::info; });
    }
  }
  const bool to_file = !options.output.path.empty() && options.output.path != "-";
  return format.render(report, {.color = streams.color && !to_file,
                                .columns = streams.columns,
                                .terminal = streams.terminal && !to_file,
                                .verbose = streams.verbose,
                                .quiet = streams.quiet,
                                .unsafe_fixes = options.files.unsafe_fixes,
                                .not_checked = project::not_checked(validation)});
}

// Prints the fixed standard input to standard output. The report is then printed to standard error.
static int print(project::Validation& validation, const ValidateOptions& options, const Streams& streams) {
  const report::Format& format = *report::find_format(options.format.empty() ? streams.default_format : options.format);
  streams.out << validation.text;
  if (options.files.diff) {
    streams.err << fmt::format("{} would be fixed\n", base::counted(validation.fixed, "finding"));
    return kClean;
  }
  const std::string text = render(validation, format, options, streams);
  const auto& paths = options.files.paths;
  if (options.files.fix && options.output.path.empty() && std::ranges::find(paths, "-") != paths.end()) {
    streams.err << text;
    return kClean;
  }
  return write_output(options.output, paths, text, streams);
}

static int validate(ValidateOptions& options, const std::vector<std::string>& paths, const Streams& streams) {
  options.files.paths = paths.empty() ? std::vector<std::string>{"."} : paths;
  project::Project project(options.reading.request);
  project::ValidationOptions files = options.files;
  files.stdin_name = options.reading.stdin_filename;
  project::Validation validation = project::validate_paths(files, project, streams.in);
  complain_of_all(validation, streams);
  note_work(validation, streams);
  const bool complete = validation.problems.empty() && validation.report.failures.empty();
  if (!validation.problems.empty() && options.format != "json") {
    return kUsage;
  }
  if (print(validation, options, streams) != kClean || !complete) {
    return kUsage;
  }
  return validation.failed && !options.exit_zero ? kErrors : kClean;
}

static Option fail_on(project::Settings& settings) {
  return choice(
      "--fail-on", "LEVEL", {"error", "warning", "info", "never"},
      [&settings](const std::string& level) { settings.fail_on = project::read_fail_on(level); },
      "Minimum severity for exit code 1 (default: error)");
}

static std::vector<Option> options_of(ValidateOptions& own) {
  auto& files = own.files;
  std::vector<std::string> formats;
  for (const report::Format& format : report::formats()) formats.emplace_back(format.name);
  std::vector<Option> out = {
      choice(
          "--format", "FORMAT", formats, [&own](const std::string& name) { own.format = name; },
          "Output format (default: text, or github if GITHUB_ACTIONS is set)"),
      output(own.output),
      force(own.output),
      flag("--statistics", own.statistics, "Print the number of findings per code instead of the findings"),
      flag("--exit-zero", own.exit_zero, "Exit with 0 even if there are errors"),
      flag("--skip-unknown", files.skip_unknown, "Skip files that are not recipes or that the config file excludes"),
      flag("--no-ignore", files.no_ignore, "Do not respect .gitignore"),
      flag("--fix", files.fix, "Apply safe fixes in place; fixed standard input is written to standard output"),
      flag("--diff", files.diff, "Print the changes that --fix would make; write no files"),
      flag("--unsafe-fixes", files.unsafe_fixes, "Also apply unsafe fixes"),
  };
  append(out, level_options(own.reading.request.settings));
  out.push_back(fail_on(own.reading.request.settings));
  append(out, reading_options(own.reading));
  return out;
}

Command validate_command() {
  return with_options<ValidateOptions>(
      {"validate", "Check recipes for errors", "PATH...",
       "Files, folders to search, or - for standard input (default: the current folder)", 0,
       std::numeric_limits<std::size_t>::max()},
      options_of, validate);
}

}  // namespace sparsecfg::cmd
