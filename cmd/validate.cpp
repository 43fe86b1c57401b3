#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cmd/baseline.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "cmd/runner_log.h"
#include "cmd/watch.h"
#include "diag/page.h"
#include "report/summary.h"

namespace sparsecfg::cmd {

struct ValidateOptions {
  ReadingOptions reading;
  project::ValidationOptions files;
  std::string format;  // empty means the default format of the streams
  Output output;
  bool exit_zero = false;
  bool statistics = false;
  bool show_files = false;
  bool watch = false;
  bool write_baseline = false;
  bool fails_on_fix = false;  // --exit-non-zero-on-fix
  bool show_fixes = false;    // also if the output is no terminal
  bool no_show_fixes = false;
};

static void complain_of_all(const project::Validation& validation, const Streams& streams) {
  for (const project::Problem& problem : validation.problems) {
    complain(streams.err, problem);
  }
  for (const project::Problem& warning : validation.warnings) {
    complain(streams.err, warning);
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

static const report::Format& format_of(const ValidateOptions& options, const Streams& streams) {
  return *report::find_format(options.format.empty() ? streams.default_format : options.format);
}

// Returns true if the changes of fixes are shown below their findings. By default, only a terminal shows them, so that
// the output for programs stays the same.
static bool shows_fixes(const ValidateOptions& options, const Streams& streams) {
  const bool to_file = !options.output.path.empty() && options.output.path != "-";
  return !options.no_show_fixes && (options.show_fixes || (streams.terminal && !to_file));
}

// Renders the report. Annotation formats omit info findings, because readers cannot hide annotations.
static std::string render(project::Validation& validation, const report::Format& format, const ValidateOptions& options,
                          const Streams& streams) {
  report::Report& report = validation.report;
  if (options.statistics) {
    return page(report::render_statistics(report, streams.verbose), options.output, streams);
  }
  if (options.show_files) {
    return page(report::render_files(report), options.output, streams);
  }
  const bool summarized = format.name == "text";  // its summary counts the findings that are not shown
  if (!format.infos && !summarized && !streams.verbose) {
    for (report::FileReport& file : report.files) {
      std::erase_if(file.diagnostics, [](const auto& each) { return each.severity == diag::Severity::info; });
    }
  }
  const bool to_file = !options.output.path.empty() && options.output.path != "-";
  return format.render(
      report, {.color = streams.color && !to_file,
               .columns = streams.columns,
               .terminal = (streams.terminal || streams.wraps) && !to_file,
               .verbose = streams.verbose,
               .quiet = streams.quiet,
               .show_fixes = shows_fixes(options, streams),
               .unsafe_fixes = options.files.unsafe_fixes,
               .not_checked = streams.verbose || format.name == "agent" ? project::not_checked(validation) : "",
               .docs = streams.docs});
}

// Prints the fixed standard input to standard output. The report is then printed to standard error.
static int print(project::Validation& validation, const ValidateOptions& options, const Streams& streams) {
  const report::Format& format = format_of(options, streams);
  streams.out << (options.files.diff ? diag::as_page(validation.text, {.color = streams.color, .columns = 0})
                                     : validation.text);
  if (options.files.diff) {
    show_report(report::render_fixed(validation.fixed, "would fix") +
                    fmt::format("{} would be fixed\n", base::counted(validation.fixed.size(), "finding")),
                streams);
    return kClean;
  }
  const std::string text = render(validation, format, options, streams);
  if (format.name == "github") {
    allow_annotations(streams.out);
    allow_annotations(streams.err);
  }
  const auto& paths = options.files.paths;
  if (options.files.fix && options.output.path.empty() && std::ranges::find(paths, "-") != paths.end()) {
    streams.err << text;
    return kClean;
  }
  // Annotations are all that this format writes. Without a summary, a job that checks no file looks like one that
  // passed.
  if (format.name == "github" && !streams.quiet) {
    streams.err << "sparsecfg: " << report::summarize(validation.report, streams.verbose);
  }
  return write_output(options.output, paths, text, streams);
}

// Returns the files other than recipes that the check depends on.
static std::set<std::string> other_files(const project::Validation& validation) {
  std::set<std::string> out;
  for (const project::FileOptions* options : validation.options) {
    const project::Settings& settings = options->settings;
    for (const std::string& path :
         {options->path, settings.parameters, settings.modules, settings.model, settings.baseline}) {
      if (!path.empty()) out.insert(path);
    }
  }
  return out;
}

static int validate_once(const ValidateOptions& options, const Streams& streams, std::set<std::string>& read) {
  project::Request request = options.reading.request;
  request.no_baseline = options.write_baseline;
  project::Project project(std::move(request));
  project::ValidationOptions files = options.files;
  files.stdin_name = options.reading.stdin_filename;
  files.fix_infos = streams.verbose || format_of(options, streams).infos;
  project::Validation validation = project::validate_paths(files, project, streams.in);
  read = other_files(validation);
  complain_of_all(validation, streams);
  note_work(validation, streams);
  warn_of_useless_options(options.reading, validation.options, streams);
  const bool complete = validation.problems.empty() && validation.report.failures.empty();
  if (!validation.problems.empty() && options.format != "json") {
    return kUsage;
  }
  std::vector<const Compilation*> compilations;
  for (const Compilation& each : validation.compilations) compilations.push_back(&each);
  if (!accepts_variables(options.reading, compilations, streams)) return kUsage;
  if (options.write_baseline) {
    const int status = write_baselines(validation, !options.reading.request.settings.baseline.empty(), streams);
    return status == kClean && !complete ? kUsage : status;
  }
  if (print(validation, options, streams) != kClean || !complete) {
    return kUsage;
  }
  const bool fixes = options.fails_on_fix && !validation.fixed.empty();
  return (validation.failed || fixes) && !options.exit_zero && !options.show_files ? kErrors : kClean;
}

static int validate(ValidateOptions& options, const std::vector<std::string>& paths, const Streams& streams) {
  options.files.paths = paths.empty() ? std::vector<std::string>{"."} : paths;
  std::set<std::string> read;
  if (!options.watch) {
    return validate_once(options, streams, read);
  }
  if (std::ranges::find(options.files.paths, "-") != options.files.paths.end()) {
    complain(streams.err, "-", "standard input cannot be watched");
    return kUsage;
  }
  const auto check = [&] {
    (void)validate_once(options, streams, read);
    return read;
  };
  return watch(options.files.paths, options.files.fix && !options.files.diff, check, streams);
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
      flag("--statistics", own.statistics, "Print the number of findings per rule instead of the findings"),
      flag("--show-files", own.show_files,
           "List the checked and the skipped files, with the reasons, instead of the findings"),
      text("--baseline", "FILE", own.reading.request.settings.baseline,
           "File with known findings, which are not reported"),
      flag("--write-baseline", own.write_baseline, "Write all findings to the baseline file instead of reporting them"),
      flag("--watch", own.watch, "Check again after each change of a file, until the program is stopped"),
      flag("--exit-zero", own.exit_zero, "Exit with 0 even if there are errors"),
      flag("--skip-unknown", files.skip_unknown, "Skip files that are not recipes or that the config file excludes"),
      flag("--no-ignore", files.no_ignore, "Do not respect .gitignore"),
      flag("--fix", files.fix, "Apply safe fixes in place; fixed standard input is written to standard output"),
      flag("--diff", files.diff, "Print the changes that --fix would make; write no files"),
      flag("--exit-non-zero-on-fix", own.fails_on_fix, "Exit with 1 if --fix or --diff changes a file"),
      flag("--show-fixes", own.show_fixes, "Show the changes of a fix below its finding (default: on a terminal)"),
      flag("--no-show-fixes", own.no_show_fixes, "Do not show the changes of fixes"),
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
