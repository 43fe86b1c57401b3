#include "cmd/cli.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "dialect/dialect.h"
#include "ir/clock.h"

namespace sparsecfg::cmd {

// The names of the dialects that can do something, sorted.
static std::vector<std::string> dialects_that(auto can) {
  std::vector<std::string> names;
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    if (can(*dialect)) {
      names.emplace_back(dialect->name);
    }
  }
  std::ranges::sort(names);
  return names;
}

static void append(std::vector<Option>& options, std::vector<Option> more) {
  std::ranges::move(more, std::back_inserter(options));
}

static std::vector<Option> reader_option_list(std::vector<std::pair<std::string, std::string>>& out) {
  std::vector<Option> options;
  for (const dialect::ReaderOption& each : dialect::reader_options()) {
    const std::string name(each.name);
    options.push_back(choice("--" + name, "VALUE", {each.values.begin(), each.values.end()},
                             [&out, name](const std::string& value) { out.emplace_back(name, value); },
                             std::string(each.doc)));
  }
  return options;
}

// The maxima are limits of the readers: spans have 32 bits, and nested values take recursion.
static Option limit(std::string name, std::size_t& out, std::uint64_t max, const std::string& doc) {
  return whole_number(std::move(name), "N", [&out](std::uint64_t value) { out = value; }, 1, max,
                      fmt::format("{} (default: {})", doc, out));
}

static std::vector<Option> reading_options(ReadingOptions& reading) {
  project::Settings& settings = reading.request.settings;
  doc::Limits& limits = reading.request.limits;
  const auto reads = [](const dialect::Dialect& dialect) { return dialect.read != nullptr; };
  std::vector<Option> options = {
      choice("--from", "DIALECT", dialects_that(reads), [&](const std::string& name) { settings.from = name; },
             "Dialect of the recipe (default: detected)"),
  };
  append(options, reader_option_list(settings.reader_options));
  append(options,
         {list("--set", "NAME=VALUE", reading.request.variables, false,
               "Set a variable of the recipe; VALUE is JSON or else a string"),
          text("--stdin-filename", "NAME", reading.stdin_filename,
               "Name of standard input (default: it is read as .yaml)"),
          text("--params", "FILE", settings.parameters,
               "Parameters of the model, with shapes if known: lines, JSON or .safetensors"),
          text("--modules", "FILE", settings.modules,
               "Modules of the model: lines of a name, a type and a shape, tab-separated"),
          whole_number("--steps-per-epoch", "N", [&](std::uint64_t steps) { settings.steps_per_epoch = steps; }, 1,
                       ir::kMaxStepsPerEpoch, "Optimizer steps in an epoch"),
          number("--epochs", "E", settings.epochs, ir::kMaxEpochs, "Length of the run (default: what the recipe says)"),
          limit("--max-size", limits.bytes, 1 << 30, "Largest file to read, in bytes"),
          limit("--max-depth", limits.depth, 1000, "Deepest nesting to read"),
          limit("--max-nodes", limits.nodes, 100'000'000, "Most nodes to read, aliases expanded"),
          limit("--max-scalar", limits.scalar_bytes, 1 << 30, "Longest scalar to read, in bytes")});
  return options;
}

static Option initial_rate(ReadingOptions& reading) {
  constexpr double kMaxRate = 1e9;
  return number("--initial-lr", "X", reading.request.settings.initial_rate, kMaxRate,
                "Learning rate that the training script sets");
}

static Option output(Output& out) {
  return with_letter(text("--output", "OUT", out.path, "Where to write (default: -, standard output)"), 'o');
}

static Option force(Output& out) { return flag("--force", out.force, "Replace the file that --output names"); }

// The commands, their options and what they are parsed into.
class CommandLine {
 public:
  CommandLine() {
    program_.name = "sparsecfg";
    program_.doc = "Reads, checks and converts neural-network sparsification recipes.";
    program_.common = {
        choice("--color", "WHEN", {"auto", "always", "never"}, [this](const std::string& when) { color_ = when; },
               "When to colour (default: auto)"),
        flag("--verbose", verbose_, "Print notes too, what is done and what was not checked"),
        with_letter(flag("--quiet", quiet_, "Print findings alone, without a summary"), 'q'),
    };
    add_validate();
    add_convert();
    add_timeline();
    add_normalize();
    add_match();
    add_inspect();
    add_explain();
    add_create();
    add_schema();
  }

  int run(std::span<const std::string> arguments, const Streams& streams) {
    const Parsed parsed = parse_command_line(program_, arguments);
    if (!parsed.error.empty()) {
      streams.err << "sparsecfg: error: " << parsed.error << '\n';
      return kUsage;
    }
    if (parsed.version) {
      streams.out << "sparsecfg " << base::version() << '\n';
    } else if (parsed.help) {
      streams.out << (parsed.command != nullptr ? help_of(program_, *parsed.command) : help_of(program_));
    } else if (parsed.command == nullptr) {
      streams.err << help_of(program_);
      return kUsage;
    } else {
      return parsed.command->run(parsed.operands, with_common(streams));
    }
    return kClean;
  }

 private:
  void add_validate() {
    auto& files = validate_.files;
    std::vector<std::string> formats;
    for (const report::Format& format : report::formats()) formats.emplace_back(format.name);
    Command command{"validate", "Check recipes for errors", "PATH...",
                    "Files, folders to search, or - for standard input (default: .)"};
    command.max_operands = std::numeric_limits<std::size_t>::max();
    command.options = {
        choice("--format", "FORMAT", formats, [this](const std::string& name) { validate_.format = name; },
               "How to print findings (default: text, or github under GITHUB_ACTIONS)"),
        output(validate_.output),
        force(validate_.output),
        flag("--statistics", validate_.statistics, "Print how often each code was found, instead of the findings"),
        flag("--exit-zero", validate_.exit_zero, "Exit with 0 although errors were found"),
        flag("--skip-unknown", files.skip_unknown, "Skip named files that are not recipes or that settings exclude"),
        flag("--no-ignore", files.no_ignore, "Search files too that .gitignore excludes"),
        flag("--fix", files.fix, "Make safe fixes in place; standard input goes to standard output"),
        flag("--diff", files.diff, "Print what --fix would change and write nothing"),
        flag("--unsafe-fixes", files.unsafe_fixes, "Make fixes that guess what is meant too"),
    };
    append(command.options, level_options(validate_.reading.request.settings));
    command.options.push_back(fail_on(validate_.reading.request.settings));
    append(command.options, reading_options(validate_.reading));
    command.run = [this](const std::vector<std::string>& paths, const Streams& streams) {
      validate_.files.paths = paths.empty() ? std::vector<std::string>{"."} : paths;
      return validate(validate_, streams);
    };
    program_.commands.push_back(std::move(command));
  }

  static std::vector<Option> level_options(project::Settings& settings) {
    return {list("--select", "CODE", settings.levels.select, true,
                 "Report these alone: codes, beginnings of codes or names"),
            list("--ignore", "CODE", settings.levels.ignore, true, "Do not report these"), severity_option(settings)};
  }

  static Option fail_on(project::Settings& settings) {
    return choice("--fail-on", "LEVEL", {"error", "warning", "info", "never"},
                  [&settings](const std::string& level) { settings.fail_on = project::read_fail_on(level); },
                  "Lowest severity that makes the exit status 1 (default: error)");
  }

  static Option severity_option(project::Settings& settings) {
    auto take = [&settings](const std::string& given) -> std::optional<std::string> {
      std::vector<std::string> assignments;
      (void)list("", "", assignments, true, "").set(given);
      for (const std::string& assignment : assignments) {
        const auto parts = project::split_assignment(assignment);
        const auto level = parts ? diag::read_severity(parts->second) : std::nullopt;
        if (!level) return "CODE=error, CODE=warning or CODE=info";
        settings.levels.severities.emplace_back(parts->first, *level);
      }
      return std::nullopt;
    };
    return {"--severity", 0, "CODE=LEVEL", "Report findings as error, warning or info", {}, std::move(take)};
  }

  void add_convert() {
    const auto writes = [](const dialect::Dialect& dialect) { return dialect.write != nullptr; };
    Command command{"convert", "Write a recipe in another form", "FILE", "The recipe, or - for standard input", 1, 1};
    command.options = {
        choice("--to", "FORM", dialects_that(writes), [this](const std::string& to) { convert_.to = to; },
               "What to write: a dialect, its own for the normalized recipe, ir, the schedule as JSON, or pytorch, a "
               "Python file that runs it"),
        output(convert_.output),
        force(convert_.output),
        initial_rate(convert_.reading),
        choice("--report", "FORMAT", {"text", "json"},
               [this](const std::string& format) { convert_.report_json = format == "json"; },
               "How to report what was kept (default: text)"),
        flag("--allow-loss", convert_.allow_loss, "Write what can be written where a part is lost"),
        flag("--assume-gaussian", convert_.assume_gaussian,
             "Take thresholds in standard deviations for the levels that they are of normally distributed weights"),
        flag("--keep-variables", convert_.keep_variables, "Keep variables and expressions as they are"),
    };
    append(command.options, level_options(convert_.reading.request.settings));
    append(command.options, reading_options(convert_.reading));
    command.required = {"--to"};
    command.run = [this](const std::vector<std::string>& files, const Streams& streams) {
      convert_.path = files.front();
      return convert(convert_, streams);
    };
    program_.commands.push_back(std::move(command));
  }

  void add_timeline() {
    Command command{"timeline", "Print what a recipe does at every step", "FILE", "The recipe, or - for standard input",
                    1, 1};
    command.options = {
        choice("--format", "FORMAT", {"table", "csv", "jsonl", "svg", "json"},
               [this](const std::string& format) { timeline_.format = format; },
               "How to print it; json goes with --summary (default: table)"),
        output(timeline_.output),
        force(timeline_.output),
        initial_rate(timeline_.reading),
        number("--from-epoch", "E", timeline_.from_epoch, ir::kMaxEpochs, "First epoch to print"),
        number("--to-epoch", "E", timeline_.to_epoch, ir::kMaxEpochs, "Last epoch to print"),
        flag("--every-step", timeline_.every_step, "Print every step, not only those at which something changes"),
        flag("--summary", timeline_.summary, "Print the figures of the run alone"),
    };
    append(command.options, reading_options(timeline_.reading));
    command.run = [this](const std::vector<std::string>& files, const Streams& streams) {
      timeline_.path = files.front();
      return timeline(timeline_, streams);
    };
    program_.commands.push_back(std::move(command));
  }

  void add_normalize() {
    Command command{"normalize", "Format recipes: layout, quotes and the order of fields", "PATH...",
                    "Recipes, folders to search for them, or - for standard input", 1};
    command.max_operands = std::numeric_limits<std::size_t>::max();
    command.options = {
        flag("--check", normalize_.check, "List the files that would change; exit status 1 if there are any"),
        flag("--diff", normalize_.diff, "Print what would change; exit status 1 if anything would"),
        flag("--write", normalize_.write, "Write the files in place"),
        flag("--resolve", normalize_.resolve, "Replace eval(...) by its value and keep the expression as a comment"),
        flag("--skip-unknown", normalize_.skip_unknown, "Skip named files that are not recipes or that settings exclude"),
    };
    append(command.options, reading_options(normalize_.reading));
    command.run = [this](const std::vector<std::string>& files, const Streams& streams) {
      normalize_.paths = files;
      return normalize(normalize_, streams);
    };
    program_.commands.push_back(std::move(command));
  }

  void add_match() {
    Command command{"match", "Show what each selector matches in a model", "FILE",
                    "The recipe, or - for standard input", 1, 1};
    command.options = {
        text("--explain", "NAME", match_.name, "Show what each selector does with one name"),
        choice("--format", "FORMAT", {"text", "json"},
               [this](const std::string& format) { match_.json = format == "json"; },
               "How to print it (default: text)"),
    };
    append(command.options, reading_options(match_.reading));
    command.run = [this](const std::vector<std::string>& files, const Streams& streams) {
      match_.path = files.front();
      return match(match_, streams);
    };
    program_.commands.push_back(std::move(command));
  }

  void add_inspect() {
    Command command{"inspect", "Print what a training script has to know of a recipe", "FILE",
                    "The recipe, or - for standard input", 1, 1};
    command.options = {
        choice("--format", "FORMAT", {"text", "json"},
               [this](const std::string& format) { inspect_.json = format == "json"; },
               "How to print it (default: text)"),
    };
    append(command.options, reading_options(inspect_.reading));
    command.run = [this](const std::vector<std::string>& files, const Streams& streams) {
      inspect_.path = files.front();
      return inspect(inspect_, streams);
    };
    program_.commands.push_back(std::move(command));
  }

  void add_explain() {
    Command command{"explain", "Explain a diagnostic or a modifier", "TOPIC",
                    "A code, its name, a modifier; codes or modifiers lists them", 1, 1};
    command.run = [](const std::vector<std::string>& topics, const Streams& streams) {
      return explain(topics.front(), streams);
    };
    program_.commands.push_back(std::move(command));
  }

  void add_create() {
    create::Choices& choices = create_.choices;
    const auto truth = [](bool& out) { return [&out](const std::string& word) { out = word == "true"; }; };
    const auto writes = [](const dialect::Dialect& dialect) {
      return dialect.write != nullptr && dialect.read != nullptr && !dialect.holds_any;
    };
    Command command{"create", "Write a new recipe from a few choices", "", ""};
    command.options = {
        text("--pruning", "ALGORITHM", choices.pruning,
             "How to prune: true (gradual magnitude), acdc, mfac, movement, obs, constant, structured or false (default: true)"),
        choice("--quantization", "BOOL", {"true", "false"}, truth(choices.quantization),
               "Quantization-aware training at the end (default: true)"),
        choice("--lr", "SCHEDULE", {create::kRates.begin(), create::kRates.end()},
               [&choices](const std::string& name) { choices.rate = name; }, "Learning-rate schedule (default: linear)"),
        choice("--target", "HARDWARE", {"vnni", "tensorrt", "none"},
               [&choices](const std::string& name) { choices.target = name; },
               "Hardware that decides the structure of the zeros (default: none)"),
        flag("--distillation", choices.distillation, "Distil from a teacher"),
        list("--set", "NAME=VALUE", create_.variables, false,
             "Set a variable; `sparsecfg schema create` lists them"),
        text("--variables", "FILE", create_.variable_file, "Variables as a YAML or JSON mapping"),
        text("--params", "FILE", create_.parameters,
             "Parameters of the model, to name those to prune instead of `__ALL_PRUNABLE__`"),
        flag("--skip-first-last", create_.skip_first_last, "Leave the first and the last of them out"),
        choice("--to", "DIALECT", dialects_that(writes), [this](const std::string& name) { create_.to = name; },
               "What to write (default: sparseml)"),
        choice("--report", "FORMAT", {"text", "json"},
               [this](const std::string& format) { create_.report_json = format == "json"; },
               "How to report what the recipe does (default: text)"),
        output(create_.output),
        force(create_.output),
    };
    command.run = [this](const std::vector<std::string>&, const Streams& streams) { return create(create_, streams); };
    program_.commands.push_back(std::move(command));
  }

  void add_schema() {
    Command command{"schema", "Print a JSON Schema, for editors and programs", "SUBJECT",
                    "A dialect, create for its variables, report for what validate prints as JSON, or settings for .sparsecfg.yaml", 1, 1};
    command.options = reader_option_list(schema_options_);
    command.run = [this](const std::vector<std::string>& subjects, const Streams& streams) {
      for (const auto& [name, value] : schema_options_) {
        dialect::set_reader_option(name, value, schema_.read);
      }
      schema_.subject = subjects.front();
      return schema(schema_, streams);
    };
    program_.commands.push_back(std::move(command));
  }

  [[nodiscard]] Streams with_common(const Streams& streams) const {
    Streams out = streams;
    out.color = color_ == "always" || (color_ == "auto" && streams.color);
    out.verbose = verbose_;
    out.quiet = quiet_;
    return out;
  }

  Program program_;
  std::string color_ = "auto";
  bool verbose_ = false;
  bool quiet_ = false;
  ValidateOptions validate_;
  ConvertOptions convert_;
  NormalizeOptions normalize_;
  InspectOptions inspect_;
  TimelineOptions timeline_;
  MatchOptions match_;
  SchemaOptions schema_;
  CreateOptions create_;
  std::vector<std::pair<std::string, std::string>> schema_options_;
};

int run(std::span<const std::string> arguments, const Streams& streams) {
  const int status = CommandLine().run(arguments, streams);
  streams.out.flush();
  if (!streams.out) {
    streams.err << "sparsecfg: standard output can't be written\n";
    return kUsage;
  }
  return status;
}

}  // namespace sparsecfg::cmd
