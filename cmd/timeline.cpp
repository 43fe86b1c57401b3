#include "timeline/writers.h"

#include <fmt/core.h>

#include <algorithm>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "cmd/reading.h"
#include "dialect/schemes/one_shot.h"
#include "picture/picture.h"
#include "picture/terminal.h"

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
};

// Returns the plot above the table. By default only a terminal gets one.
static std::string plot_of(const TimelineOptions& options, const ir::Recipe& recipe, const timeline::Run& run,
                           const Streams& streams) {
  if (options.plot == "never" || (options.plot == "auto" && !streams.terminal)) {
    return {};
  }
  return picture::plot(recipe, run, {streams.columns, streams.utf8});
}

// Returns nullopt after an error message if the steps per epoch or the length of the run are unknown.
static std::optional<timeline::Run> make_run(const TimelineOptions& options, const ReadRecipe& read,
                                             std::ostream& err) {
  const ir::Recipe& recipe = *read.compilation.recipe;
  const project::Settings& settings = read.options->settings;
  const auto steps_per_epoch = settings.steps_per_epoch ? settings.steps_per_epoch : recipe.steps_per_epoch;
  if (!steps_per_epoch) {
    complain(err, "timeline", "the steps per epoch are unknown; add --steps-per-epoch N");
    return std::nullopt;
  }
  const auto& length = recipe.length;
  const double epochs = settings.epochs.value_or(length ? length->epochs : 0);
  if (epochs <= 0 && !settings.epochs) {
    complain(err, options.path, "the recipe does not define the training length; add --epochs E");
    return std::nullopt;
  }
  const auto rate = recipe.has_rates ? settings.initial_rate : std::nullopt;
  return timeline::Run{*steps_per_epoch, epochs, rate, read.options->compile.parameters, read.options->compile.modules};
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
    return write(json ? timeline::summarize_json(recipe, run, file) : timeline::summarize(recipe, run, file));
  }
  if (format == "csv") return timeline::write_csv(recipe, run, first, last, write);
  if (format == "jsonl") return timeline::write_jsonl(recipe, run, first, last, options.every_step, write);
  if (format == "svg") return write(picture::draw_svg(recipe, run, file.name()));
  if (format == "html") return write(picture::draw_page(recipe, run, file, compilation.diagnostics));
  const timeline::Rows rows = options.every_step     ? timeline::Rows::steps
                              : options.every_change ? timeline::Rows::changes
                                                     : timeline::Rows::milestones;
  return timeline::write_table(recipe, run, file, first, last,
                               {rows, streams.columns, plot_of(options, recipe, run, streams)}, write);
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
  const ir::OneShot one_shot = dialect::schemes::one_shot_of(recipe, read.options->compile.read.modules.get());
  const std::string& format = options.summary && options.format == "table" ? "json" : options.format;
  const auto text = [&] {
    if (format == "svg") return picture::draw_one_shot(recipe, one_shot, file.name());
    if (format == "html") return picture::draw_one_shot_page(recipe, one_shot, file, read.compilation.diagnostics);
    if (format == "jsonl" && !options.summary) return timeline::list_order_jsonl(recipe, one_shot, file);
    return format == "table" ? timeline::list_order(recipe, one_shot, file)
                             : timeline::list_order_json(recipe, one_shot, file);
  };
  const int status = write_output(options.output, {options.path}, text(), streams);
  return status == kClean && read.compilation.count(diag::Severity::error) > 0 ? kErrors : status;
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
    show_obstacle(*read, streams);
    return kErrors;
  }
  if (dialect::schemes::is_one_shot(*compilation.recipe)) {
    return show_order(options, *read, streams);
  }
  if (!compilation.recipe->has_timeline()) {
    if (compilation.count(diag::Severity::error) > 0) return kErrors;  // the framework drops everything
    complain(streams.err, options.path,
             compilation.recipe->trains ? "timelines are available only for PyTorch, not for Keras or TensorFlow"
                                        : "recipes for a trained model have no steps");
    return kUsage;
  }
  const auto run = make_run(options, *read, streams.err);
  if (!run) {
    return kUsage;
  }
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
