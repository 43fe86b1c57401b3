#include "cmd/cli.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cmd/commands.h"
#include "dialect/dialect.h"
#include "ir/clock.h"

namespace sparsecfg::cmd {

// The names of the dialects that can do something.
static CLI::IsMember dialects_that(auto can) {
  std::vector<std::string> names;
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    if (can(*dialect)) {
      names.emplace_back(dialect->name);
    }
  }
  std::ranges::sort(names);
  return CLI::IsMember(names);
}

static void add_framework(CLI::App& command, dialect::Framework& framework) {
  using dialect::Framework;
  const std::map<std::string, Framework> frameworks = {
      {"pytorch", Framework::pytorch}, {"keras", Framework::keras}, {"tensorflow", Framework::tensorflow}};
  command.add_option("--framework", framework, "Which of SparseML's readers to judge by")
      ->transform(CLI::CheckedTransformer(frameworks).description("{keras,pytorch,tensorflow}"))
      ->default_str("pytorch");
}

static void add_nni(CLI::App& command, dialect::NniRelease& release) {
  using dialect::NniRelease;
  const std::map<std::string, NniRelease> releases = {
      {"3.0", NniRelease::v3_0}, {"2.x", NniRelease::v2}, {"1.x", NniRelease::v1}};
  command.add_option("--nni", release, "Which release of NNI to judge by")
      ->transform(CLI::CheckedTransformer(releases).description("{3.0,2.x,1.x}"))
      ->default_str("3.0");
}

static void add_reading_options(CLI::App& command, ReadingOptions& options) {
  command.add_option("--from", options.from, "Dialect of the recipe (default: detected from its content)")
      ->check(dialects_that([](const dialect::Dialect& dialect) { return dialect.read != nullptr; }));
  add_framework(command, options.framework);
  add_nni(command, options.nni);
  command.add_option("--set", options.set, "Set a variable of the recipe; VALUE is JSON or else a string")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--stdin-filename", options.stdin_filename,
                  "Name that standard input goes by (default: it counts as .yaml)")
      ->type_name("NAME");
  command
      .add_option("--params", options.parameters,
                  "Parameters of the model, with shapes where known: lines, JSON or .safetensors")
      ->type_name("FILE");
  command
      .add_option("--modules", options.modules,
                  "Modules of the model: lines of a name, a type and a shape, tab-separated")
      ->type_name("FILE");
  command.add_option("--steps-per-epoch", options.steps_per_epoch, "Optimizer steps in an epoch")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, ir::kMaxStepsPerEpoch));
  command.add_option("--epochs", options.epochs, "Length of the run (default: what the recipe says)")
      ->type_name("E")
      ->check(CLI::Range(0.0, ir::kMaxEpochs));
  command.add_option("--max-size", options.limits.bytes, "Largest file to read, in bytes")->capture_default_str();
  command.add_option("--max-depth", options.limits.depth, "Deepest nesting to read")->capture_default_str();
  command.add_option("--max-nodes", options.limits.nodes, "Most nodes to read, aliases expanded")
      ->capture_default_str();
  command.add_option("--max-scalar", options.limits.scalar_bytes, "Longest scalar to read, in bytes")
      ->capture_default_str();
  command.add_flag("--verbose", options.verbose, "Show notes too, and what was not checked");
}

// The commands, their options and what they are parsed into.
class CommandLine {
 public:
  CommandLine() : app_("Reads, checks and converts neural-network sparsification recipes.", "sparsecfg") {
    app_.set_version_flag("--version", SPARSECFG_VERSION);
    app_.require_subcommand(1);
    add_validate();
    add_convert();
    add_timeline();
    add_normalize();
    add_match();
    add_explain();
    add_schema();
  }

  int run(std::span<const std::string> arguments, const Streams& streams) {
    try {
      std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
      app_.parse(std::move(reversed));
    } catch (const CLI::ParseError& error) {
      return app_.exit(error, streams.out, streams.err) == 0 ? kClean : kUsage;
    }
    return command_(with_color(streams));
  }

 private:
  CLI::App& add_command(const char* name, const char* description) {
    CLI::App& command = *app_.add_subcommand(name, description);
    command.add_option("--color", color_, "When to colour")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    return command;
  }

  void add_validate() {
    CLI::App& command = add_command("validate", "Say everything that is wrong with recipes");
    command.add_option("PATH", validate_.paths, "Files, folders to search, or - for standard input (default: .)");
    command.add_option("--format", validate_.format, "How to print what was found")
        ->transform(
            CLI::CheckedTransformer(std::map<std::string, Format>{{"text", Format::text}, {"json", Format::json}})
                .description("{text,json}"))
        ->default_str("text");
    command.add_flag("--skip-unknown", validate_.skip_unknown, "Pass over named files that are no recipes");
    command.add_flag("--fix", validate_.fix,
                     "Mend what has a safe fix in place; standard input goes to standard output");
    command.add_flag("--diff", validate_.diff, "Print what --fix would change and write nothing");
    command.add_flag("--unsafe-fixes", validate_.unsafe_fixes, "Count fixes that guess what is meant too");
    add_levels(command);
    add_reading_options(command, validate_.reading);
    command.callback([this] { command_ = [this](const Streams& streams) { return validate(validate_, streams); }; });
  }

  void add_levels(CLI::App& command) {
    command.add_option("--select", validate_.select, "Report these alone: codes, beginnings of codes or names")
        ->type_name("CODE")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--ignore", validate_.ignore, "Do not report these")
        ->type_name("CODE")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--severity", validate_.severity, "How much a finding counts: error, warning or info")
        ->type_name("CODE=LEVEL")
        ->delimiter(',')
        ->allow_extra_args(false);
    const std::map<std::string, diag::Severity> levels = {
        {"error", diag::Severity::error}, {"warning", diag::Severity::warning}, {"info", diag::Severity::info}};
    command.add_option("--fail-on", validate_.fail_on, "Least severity that makes the exit status 1 (default: error)")
        ->transform(CLI::CheckedTransformer(levels).description("{error,warning,info}"));
  }

  void add_convert() {
    CLI::App& command = add_command("convert", "Write a recipe in another form");
    command.add_option("FILE", convert_.path, "The recipe, or - for standard input")->required();
    command
        .add_option("--to", convert_.to,
                    "What to write: a dialect, its own for the normalized recipe, or ir, the schedule as JSON")
        ->required()
        ->check(dialects_that([](const dialect::Dialect& dialect) { return dialect.write != nullptr; }));
    command.add_option("-o,--output", convert_.output, "Where to write (default: standard output)")->type_name("OUT");
    command.add_option("--initial-lr", convert_.initial_rate, "Learning rate that the training script sets")
        ->type_name("X");
    command.add_option("--report", convert_.report, "How to tell what was kept")
        ->transform(
            CLI::CheckedTransformer(std::map<std::string, Format>{{"text", Format::text}, {"json", Format::json}})
                .description("{text,json}"))
        ->default_str("text");
    command.add_flag("--allow-loss", convert_.allow_loss, "Write what can be written where a part is lost");
    command.add_flag("--keep-variables", convert_.keep_variables, "Keep variables and expressions as they are");
    add_reading_options(command, convert_.reading);
    command.callback([this] { command_ = [this](const Streams& streams) { return convert(convert_, streams); }; });
  }

  void add_normalize() {
    CLI::App& command = add_command("normalize", "Write recipes in their canonical form");
    command.add_option("FILE", normalize_.paths, "The recipes, or - for standard input")->required();
    command.add_flag("--check", normalize_.check,
                     "Only say which files are not in that form; exit status 1 if there are any");
    command.add_flag("--diff", normalize_.diff, "Print what would change");
    command.add_flag("--write", normalize_.write, "Write the files in place")->excludes("--check");
    command.add_flag("--keep-variables", normalize_.keep_variables, "Keep variables and expressions as they are");
    command.add_option("--initial-lr", normalize_.initial_rate, "Learning rate that the training script sets")
        ->type_name("X");
    add_reading_options(command, normalize_.reading);
    command.callback([this] { command_ = [this](const Streams& streams) { return normalize(normalize_, streams); }; });
  }

  void add_timeline() {
    CLI::App& command = add_command("timeline", "Print what a recipe does at every step");
    command.add_option("FILE", timeline_.path, "The recipe, or - for standard input")->required();
    command.add_option("--format", timeline_.format, "How to print it; json goes with --summary")
        ->transform(CLI::CheckedTransformer(std::map<std::string, TimelineFormat>{{"table", TimelineFormat::table},
                                                                                  {"csv", TimelineFormat::csv},
                                                                                  {"jsonl", TimelineFormat::jsonl},
                                                                                  {"svg", TimelineFormat::svg},
                                                                                  {"json", TimelineFormat::json}})
                        .description("{table,csv,jsonl,svg,json}"))
        ->default_str("table");
    command.add_option("-o,--output", timeline_.output, "Where to write (default: standard output)")->type_name("OUT");
    command.add_option("--initial-lr", timeline_.initial_rate, "Learning rate that the training script sets")
        ->type_name("X");
    command.add_option("--from-epoch", timeline_.from_epoch, "First epoch to print")
        ->type_name("E")
        ->check(CLI::Range(0.0, ir::kMaxEpochs));
    command.add_option("--to-epoch", timeline_.to_epoch, "Last epoch to print")
        ->type_name("E")
        ->check(CLI::Range(0.0, ir::kMaxEpochs));
    command.add_flag("--every-step", timeline_.every_step,
                     "Print every step, not only those at which something changes");
    command.add_flag("--summary", timeline_.summary, "Print the figures of the run alone");
    add_reading_options(command, timeline_.reading);
    command.callback([this] { command_ = [this](const Streams& streams) { return timeline(timeline_, streams); }; });
  }

  void add_match() {
    CLI::App& command = add_command("match", "Show what each selector takes of a model");
    command.add_option("FILE", match_.path, "The recipe, or - for standard input")->required();
    command.add_option("--explain", match_.name, "Say what each selector makes of one name")->type_name("NAME");
    command.add_option("--format", match_.format, "How to print it")
        ->transform(
            CLI::CheckedTransformer(std::map<std::string, Format>{{"text", Format::text}, {"json", Format::json}})
                .description("{text,json}"))
        ->default_str("text");
    add_reading_options(command, match_.reading);
    command.callback([this] { command_ = [this](const Streams& streams) { return match(match_, streams); }; });
  }

  void add_explain() {
    CLI::App& command = add_command("explain", "Explain a diagnostic or a modifier");
    command.add_option("TOPIC", explain_.topic, "A code, its name, a modifier; codes or modifiers lists them")
        ->required();
    command.callback([this] { command_ = [this](const Streams& streams) { return explain(explain_, streams); }; });
  }

  void add_schema() {
    CLI::App& command = add_command("schema", "Print the JSON Schema of a dialect, for editors");
    command.add_option("DIALECT", schema_.dialect, "The dialect")
        ->required()
        ->check(dialects_that([](const dialect::Dialect& dialect) { return dialect.schema != nullptr; }));
    add_framework(command, schema_.framework);
    command.callback([this] { command_ = [this](const Streams& streams) { return schema(schema_, streams); }; });
  }

  Streams with_color(const Streams& streams) const {
    const bool color = color_ == "always" || (color_ == "auto" && streams.color);
    return {streams.in, streams.out, streams.err, color, streams.columns, streams.progress};
  }

  CLI::App app_;
  std::string color_ = "auto";
  ValidateOptions validate_;
  ConvertOptions convert_;
  NormalizeOptions normalize_;
  TimelineOptions timeline_;
  MatchOptions match_;
  ExplainOptions explain_;
  SchemaOptions schema_;
  std::function<int(const Streams&)> command_;
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
