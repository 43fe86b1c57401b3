#include "timeline/table.h"

#include <fmt/core.h>

#include "cmd/commands.h"
#include "cmd/progress.h"
#include "cmd/reading.h"
#include "diag/render_text.h"
#include "timeline/csv.h"
#include "timeline/jsonl.h"
#include "timeline/svg.h"

namespace sparsecfg::cmd {

// What there is to say about the recipe, but for notes; true where a run of it exists.
static bool report(Compilation& compilation, const Streams& streams) {
  std::erase_if(compilation.diagnostics,
                [](const diag::Diagnostic& diagnostic) { return diagnostic.severity == diag::Severity::info; });
  streams.err << diag::render_text(*compilation.file, compilation.diagnostics, {streams.color, streams.columns});
  return compilation.runs();
}

// Nothing where neither the recipe nor the command line says what is needed.
static std::optional<timeline::Run> make_run(const TimelineOptions& options, const Compilation& compilation,
                                             const Prepared& prepared, std::ostream& err) {
  const ir::Recipe& recipe = *compilation.recipe;
  const auto steps_per_epoch =
      options.reading.steps_per_epoch ? options.reading.steps_per_epoch : recipe.steps_per_epoch;
  if (!steps_per_epoch) {
    complain(err, "timeline", "--steps-per-epoch says how many steps an epoch has");
    return std::nullopt;
  }
  const auto& length = recipe.length;
  const double epochs = options.reading.epochs.value_or(length ? length->epochs : 0);
  if (epochs <= 0 && !options.reading.epochs) {
    complain(err, options.path, "the recipe does not say how long to train; --epochs does");
    return std::nullopt;
  }
  const auto rate = recipe.has_rates ? options.initial_rate : std::nullopt;
  return timeline::Run{*steps_per_epoch, epochs, rate, prepared.compile.parameters, prepared.compile.modules};
}

static bool write_as(const TimelineOptions& options, const Compilation& compilation, const timeline::Run& run,
                     std::size_t columns, const source::Write& write) {
  const ir::Recipe& recipe = *compilation.recipe;
  const source::SourceFile& file = *compilation.file;
  const std::uint64_t first = options.from_epoch ? run.first_step_at(*options.from_epoch) : 0;
  const std::uint64_t last = options.to_epoch ? run.first_step_at(*options.to_epoch) : run.steps();
  if (options.summary) {
    const bool json = options.format == TimelineFormat::json || options.format == TimelineFormat::jsonl;
    return write(json ? timeline::summarize_json(recipe, run, file) : timeline::summarize(recipe, run, file));
  }
  switch (options.format) {
    case TimelineFormat::table:
      return timeline::write_table(recipe, run, file, first, last, options.every_step, columns, write);
    case TimelineFormat::csv: return timeline::write_csv(recipe, run, first, last, write);
    case TimelineFormat::jsonl: return timeline::write_jsonl(recipe, run, first, last, options.every_step, write);
    case TimelineFormat::svg: return write(timeline::draw_svg(recipe, run, file.name()));
    case TimelineFormat::json: return write(timeline::summarize_json(recipe, run, file));
  }
  return false;
}

// A slip in a number can ask for more than any disk holds.
static void warn_of_size(const TimelineOptions& options, const timeline::Run& run, std::ostream& err) {
  constexpr std::uint64_t kMany = 100'000'000;
  const bool all =
      (options.format == TimelineFormat::csv || options.every_step) && !options.summary && !options.to_epoch;
  if (all && run.steps() > kMany) {
    complain(err, "timeline",
             fmt::format("{} rows follow; --from-epoch and --to-epoch choose a part", run.steps() + 1));
  }
}

int timeline(const TimelineOptions& options, const Streams& streams) {
  auto prepared = prepare(options.reading, streams.err);
  if (!prepared) {
    return kUsage;
  }
  auto compiled = compile_file(options.path, options.reading, prepared->compile, streams);
  if (!compiled) {
    return kUsage;
  }
  Compilation& compilation = *compiled;
  if (!report(compilation, streams)) {
    return kErrors;
  }
  if (!compilation.recipe->has_timeline()) {
    complain(streams.err, options.path,
             compilation.recipe->trains ? "the steps of Keras and TensorFlow are not computed, only those of PyTorch"
                                        : "it is for a model that is trained already, so there are no steps");
    return kUsage;
  }
  const auto run = make_run(options, compilation, *prepared, streams.err);
  if (!run) {
    return kUsage;
  }
  warn_of_size(options, *run, streams.err);
  const source::Produce produce = [&](const source::Write& write) {
    Progress progress(streams.progress ? &streams.err : nullptr);
    return write_as(options, compilation, *run, streams.columns, progress.through(write));
  };
  if (options.output.empty()) {
    produce([&](std::string_view piece) {
      return static_cast<bool>(streams.out.write(piece.data(), static_cast<std::streamsize>(piece.size())));
    });
  } else if (const auto unwritten = source::write_file_atomically(options.output, produce)) {
    complain(streams.err, options.output, *unwritten);
    return kUsage;
  }
  return kClean;
}

}  // namespace sparsecfg::cmd
