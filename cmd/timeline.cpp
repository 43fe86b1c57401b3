#include "timeline/writers.h"

#include <fmt/core.h>

#include <algorithm>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "cmd/reading.h"
#include "compile/model.h"
#include "dialect/dialect.h"
#include "dialect/schemes/one_shot.h"
#include "outcome/storage.h"
#include "picture/picture.h"
#include "picture/terminal.h"
#include "source/load.h"
#include "timeline/against.h"

namespace sparsecfg::cmd {

struct TimelineOptions {
  ReadingOptions reading;
  std::string path;
  std::string format = "table";
  Output output;
  std::optional<double> from_epoch;
  std::optional<double> to_epoch;
  bool every_step = false;
  bool every_change = false;
  bool summary = false;
  std::string plot = "auto";
  std::string against;  // log of a run; empty: no comparison
};

// Returns the plot above the table. By default only a terminal gets one.
static std::string plot_of(const TimelineOptions& options, const ir::Recipe& recipe, const timeline::Run& run,
                           const Streams& streams) {
  if (options.plot == "never" || (options.plot == "auto" && !streams.terminal)) {
    return {};
  }
  return picture::plot(recipe, run, {streams.columns, streams.utf8});
}

// Returns true if no pruner of the recipe has an update, and the dialect has an option that names the pruner.
static bool lacks_pruner(const ir::Recipe& recipe) {
  const dialect::Dialect& dialect = *dialect::find_dialect(recipe.dialect);
  const bool has_option =
      std::ranges::find(dialect.options, "pruner", &dialect::ReaderOption::name) != dialect.options.end();
  return has_option && !recipe.actions.empty() && std::ranges::all_of(recipe.actions, [](const ir::Action& action) {
           const ir::StepSchedule* counted = action.cadence.counted();
           return counted != nullptr && counted->times == 0;
         });
}

// Returns nullopt after one message about all that is missing if the length of the run is unknown. Unknown steps per
// epoch are assumed, with a note.
static std::optional<timeline::Run> make_run(const TimelineOptions& options, const ReadRecipe& read,
                                             const Streams& streams) {
  const ir::Recipe& recipe = *read.compilation.recipe;
  const project::Settings& settings = read.options->settings;
  const auto steps = settings.steps_per_epoch ? settings.steps_per_epoch : recipe.steps_per_epoch;
  const auto& length = recipe.length;
  const double epochs = settings.epochs.value_or(length ? length->epochs : 0);
  if ((epochs <= 0 && !settings.epochs) || !steps) {
    if (lacks_pruner(recipe)) {
      complain(streams.err, options.path,
               "the list names no pruner, so it has no schedule; pass one, such as `--pruner "
               "'AGPPruner(LevelPruner, interval_steps=100, total_times=10)'`, with `--steps-per-epoch N` and "
               "`--epochs E`");
      return std::nullopt;
    }
  }
  if (epochs <= 0 && !settings.epochs) {
    complain(streams.err, options.path,
             fmt::format("the recipe does not define the training length; pass {}--epochs E",
                         steps ? "" : "--steps-per-epoch N and "));
    return std::nullopt;
  }
  if (!steps && !streams.quiet) {
    complain(streams.err, options.path,
             fmt::format("{} steps per epoch are assumed; pass the number of your training with --steps-per-epoch N",
                         timeline::kAssumedStepsPerEpoch));
  }
  const auto rate = recipe.has_rates ? settings.initial_rate : std::nullopt;
  return timeline::Run{steps.value_or(timeline::kAssumedStepsPerEpoch),
                       epochs,
                       rate,
                       read.options->compile.parameters,
                       read.options->compile.modules,
                       settings.parameter_groups.value_or(1)};
}

static bool write_as(const TimelineOptions& options, const Compilation& compilation, const timeline::Run& run,
                     const Streams& streams, const source::Write& write) {
  const ir::Recipe& recipe = *compilation.recipe;
  const source::SourceFile& file = *compilation.file;
  const std::uint64_t first = options.from_epoch ? run.first_step_at(*options.from_epoch) : 0;
  const std::uint64_t last = options.to_epoch ? run.first_step_at(*options.to_epoch) : run.steps();
  const std::string& format = options.format;
  if (options.summary || format == "json") {
    const bool json = format == "json" || format == "jsonl";
    return write(json ? timeline::summarize_json(recipe, run, file)
                      : page(timeline::summarize(recipe, run, file), options.output, streams));
  }
  if (format == "csv") return timeline::write_csv(recipe, run, first, last, write);
  if (format == "jsonl") return timeline::write_jsonl(recipe, run, first, last, options.every_step, write);
  if (format == "svg") return write(picture::draw_svg(recipe, run, file.name()));
  if (format == "html") return write(picture::draw_page(recipe, run, file, compilation.diagnostics));
  const timeline::Rows rows = options.every_step     ? timeline::Rows::steps
                              : options.every_change ? timeline::Rows::changes
                                                     : timeline::Rows::milestones;
  return timeline::write_table(recipe, run, file, first, last,
                               {rows, streams.columns, plot_of(options, recipe, run, streams),
                                [&](const std::string& text) { return page(text, options.output, streams); }},
                               write);
}

// Warns about very large outputs. A mistyped number could otherwise fill the disk.
static void warn_of_size(const TimelineOptions& options, const timeline::Run& run, std::ostream& err) {
  constexpr std::uint64_t kMany = 100'000'000;
  const bool all = (options.format == "csv" || options.every_step) && !options.summary && !options.to_epoch;
  if (all && run.steps() > kMany) {
    complain(err, "timeline",
             fmt::format("writing {} rows; use --from-epoch and --to-epoch to write fewer", run.steps() + 1));
  }
}

// Prints the order of the modifiers. One-shot recipes do not train and have no steps.
static int show_order(const TimelineOptions& options, const ReadRecipe& read, const Streams& streams) {
  if (options.format == "csv") {
    complain(streams.err, options.path,
             "one-shot recipes have no steps; use --format json to list the order of stages");
    return kUsage;
  }
  const ir::Recipe& recipe = *read.compilation.recipe;
  const source::SourceFile& file = *read.compilation.file;
  ir::OneShot one_shot = dialect::schemes::one_shot_of(recipe);
  if (const auto* modules = read.options->compile.read.modules.get(); modules != nullptr) {
    one_shot.stored = outcome::stored_layers(outcome::evaluate(recipe, *modules), outcome::names_of(recipe, *modules),
                                             layers_of(recipe, read.options->compile),
                                             bits_outside(recipe, *modules, read.options->compile));
  }
  const std::string& format = options.summary && options.format == "table" ? "json" : options.format;
  const auto text = [&] {
    if (format == "svg") return picture::draw_one_shot(recipe, one_shot, file.name());
    if (format == "html") return picture::draw_one_shot_page(recipe, one_shot, file, read.compilation.diagnostics);
    if (format == "jsonl" && !options.summary) return timeline::list_order_jsonl(recipe, one_shot, file);
    return format == "table" ? timeline::list_order(recipe, one_shot, file)
                             : timeline::list_order_json(recipe, one_shot, file);
  };
  const std::string shown = format == "table" ? page(text(), options.output, streams) : text();
  const int status = write_output(options.output, {options.path}, shown, streams);
  return status == kClean && read.compilation.count(diag::Severity::error) > 0 ? kErrors : status;
}

// Compares the schedule with the log of a run.
static int compare_with(const TimelineOptions& options, const ir::Recipe& recipe, const timeline::Run& run,
                        const Streams& streams) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
  const source::Loaded loaded = options.against == "-" ? source::read_stdin(streams.in, kMaxBytes)
                                                       : source::read_file(options.against, kMaxBytes);
  if (const auto* failure = std::get_if<source::LoadError>(&loaded)) {
    complain(streams.err, options.against, failure->reason);
    return kUsage;
  }
  const auto log = timeline::read_log(std::get<std::string>(loaded), run);
  if (const auto* why = std::get_if<std::string>(&log)) {
    complain(streams.err, options.against, *why);
    return kUsage;
  }
  const timeline::LogComparison comparison = timeline::compare_with_log(recipe, run, std::get<timeline::Log>(log));
  const std::string text = page(timeline::comparison_text(comparison, run), options.output, streams);
  const int status = write_output(options.output, {options.path, options.against}, text, streams);
  if (status != kClean) return status;
  if (comparison.columns.empty()) return kUsage;
  return comparison.same() ? kClean : kErrors;
}

// Says why there is no schedule, and how to get one if only names of the model are wrong.
static void explain_missing_schedule(const TimelineOptions& options, const ReadRecipe& read, const Streams& streams) {
  show_obstacle(read, streams);
  CompileOptions without = read.options->compile;
  if (without.parameters == nullptr && without.modules == nullptr) return;
  forget_names(without);
  without.model = nullptr;
  const source::SourceFile& file = *read.compilation.file;
  if (!compile(file.name(), std::string(file.text()), without).runs()) return;
  complain(streams.err, options.path, "to see the schedule of this recipe, leave out the names of the model");
}

static int timeline(const TimelineOptions& options, const Streams& streams) {
  if (options.summary && (options.format == "csv" || options.format == "svg")) {
    complain(streams.err, "timeline",
             fmt::format("--summary does not support --format {}; use json or table", options.format));
    return kUsage;
  }
  const auto read = read_recipe(options.path, options.reading, streams, Findings::all);
  if (!read) {
    return kUsage;
  }
  const Compilation& compilation = read->compilation;
  show_findings(compilation, compilation.diagnostics, streams);
  if (!compilation.runs()) {
    explain_missing_schedule(options, *read, streams);
    return kErrors;
  }
  if (dialect::schemes::is_one_shot(*compilation.recipe)) {
    return show_order(options, *read, streams);
  }
  if (!compilation.recipe->has_timeline()) {
    if (compilation.count(diag::Severity::error) > 0) return kErrors;  // the framework drops everything
    if (compilation.recipe->actions.empty()) {
      complain(streams.err, options.path, "the recipe has no modifiers");
      return kUsage;
    }
    complain(streams.err, options.path,
             compilation.recipe->trains ? "timelines are available only for PyTorch, not for Keras or TensorFlow"
                                        : "recipes for a trained model have no steps");
    return kUsage;
  }
  const auto run = make_run(options, *read, streams);
  if (!run) {
    return kUsage;
  }
  if (!options.against.empty()) return compare_with(options, *compilation.recipe, *run, streams);
  warn_of_size(options, *run, streams.err);
  const source::Produce produce = [&](const source::Write& write) {
    Progress progress(streams.progress ? &streams.err : nullptr);
    return write_as(options, compilation, *run, streams, progress.through(write));
  };
  return write_output(options.output, {options.path}, produce, streams);
}

static std::vector<Option> options_of(TimelineOptions& own) {
  std::vector<Option> out = {
      choice(
          "--format", "FORMAT", {"table", "csv", "jsonl", "svg", "html", "json"},
          [&own](const std::string& format) { own.format = format; },
          "Output format; json implies --summary (default: table)"),
      output(own.output),
      force(own.output),
      initial_rate(own.reading),
      choice(
          "--plot", "WHEN", {"auto", "always", "never"}, [&own](const std::string& when) { own.plot = when; },
          "Draw curves above the table; auto: only if the terminal has at least 60 columns (default: auto)"),
      text("--against", "FILE", own.against,
           "Compare the schedule with the log of a run: CSV or JSON Lines with step, learning rate or sparsity; exit "
           "code 1 if they differ"),
      number("--from-epoch", "E", own.from_epoch, ir::kMaxEpochs, "First epoch to print"),
      number("--to-epoch", "E", own.to_epoch, ir::kMaxEpochs, "Last epoch to print"),
      flag("--every-change", own.every_change, "Print a row for each change (default: at most 25 key rows)"),
      flag("--every-step", own.every_step, "Print a row for each step, also for steps without a change"),
      flag("--summary", own.summary, "Print only the summary of the run"),
  };
  append(out, reading_options(own.reading));
  out.push_back(recipe_number(own.reading));
  return out;
}

Command timeline_command() {
  return recipe_command("timeline", "Show the sparsity and learning rate of a recipe at every step", options_of,
                        timeline);
}

}  // namespace sparsecfg::cmd
