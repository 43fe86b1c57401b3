#include <sparsecfg/sparsecfg.h>

#include <algorithm>

#include "base/version.h"
#include "compile/fix.h"
#include "compile/model.h"
#include "convert/convert.h"
#include "dialect/back_ends.h"
#include "match/matching.h"
#include "project/project.h"
#include "timeline/evaluator.h"

namespace sparsecfg::api {

std::string_view version() { return base::version(); }

static Severity severity_of(diag::Severity severity) {
  switch (severity) {
    case diag::Severity::error: return Severity::error;
    case diag::Severity::warning: return Severity::warning;
    case diag::Severity::info: return Severity::info;
  }
  return Severity::error;
}

static Position position_of(const source::SourceFile& file, std::uint32_t offset) {
  const auto [line, column] = file.position(offset);
  return {line, column, offset};
}

static Range range_of(const source::SourceFile& file, source::Span span) {
  return {position_of(file, span.begin), position_of(file, span.end)};
}

static Finding finding_of(const source::SourceFile& file, const diag::Diagnostic& diagnostic) {
  Finding out{std::string(diagnostic.info->code),
              std::string(diagnostic.info->name),
              severity_of(diagnostic.severity),
              diagnostic.message,
              diagnostic.help,
              range_of(file, diagnostic.span),
              {},
              {},
              diagnostic.fix.kind == diag::Fix::Kind::safe};
  for (const diag::Label& label : diagnostic.labels) out.labels.push_back({range_of(file, label.span), label.text});
  for (const diag::Edit& edit : diagnostic.fix.edits) out.fix.push_back({range_of(file, edit.span), edit.text});
  return out;
}

static void add_findings(Report& report, const source::SourceFile& file,
                         const std::vector<diag::Diagnostic>& diagnostics) {
  for (const diag::Diagnostic& each : diagnostics) report.findings.push_back(finding_of(file, each));
}

static Report report_of(const Compilation& compilation) {
  Report out{compilation.dialect.value_or(""), {}};
  add_findings(out, *compilation.file, compilation.diagnostics);
  return out;
}

bool Report::has_errors() const {
  return std::ranges::find(findings, Severity::error, &Finding::severity) != findings.end();
}

namespace {

// A recipe that was compiled with the options of the caller.
class Reading {
 public:
  Reading(std::string_view text, const Options& options)
      : project_(request_of(options)),
        options_(usable_options()),
        compilation_(compile(options.name, std::string(text), options_.compile)) {
    use_model_of(compilation_, options_.compile);
  }

  [[nodiscard]] const Compilation& compilation() const { return compilation_; }

  [[nodiscard]] Compilation take() { return std::move(compilation_); }

  [[nodiscard]] const CompileOptions& compile_options() const { return options_.compile; }

  [[nodiscard]] const project::Settings& settings() const { return options_.settings; }

  // Returns nullopt if the steps per epoch or the length of the run are unknown.
  [[nodiscard]] std::optional<timeline::Run> run() const {
    const ir::Recipe& recipe = *compilation_.recipe;
    const auto steps = settings().steps_per_epoch ? settings().steps_per_epoch : recipe.steps_per_epoch;
    const auto epochs = settings().epochs ? settings().epochs
                        : recipe.length   ? std::optional(recipe.length->epochs)
                                          : std::nullopt;
    if (!steps || !epochs || !recipe.has_timeline()) {
      return std::nullopt;
    }
    return timeline::Run{*steps,
                         *epochs,
                         recipe.has_rates ? settings().initial_rate : std::nullopt,
                         compile_options().parameters,
                         compile_options().modules,
                         settings().parameter_groups.value_or(1)};
  }

 private:
  static project::Request request_of(const Options& options) {
    project::Request request;
    project::Settings& settings = request.settings;
    request.find_models = false;
    if (!options.dialect.empty()) settings.from = options.dialect;
    settings.reader_options = options.reader_options;
    settings.parameters = options.parameters;
    settings.modules = options.modules;
    settings.model = options.model;
    settings.steps_per_epoch = options.steps_per_epoch;
    settings.parameter_groups = options.parameter_groups;
    settings.epochs = options.epochs;
    settings.initial_rate = options.initial_lr;
    for (const auto& [name, value] : options.variables) request.variables.push_back(name + "=" + value);
    return request;
  }

  const project::FileOptions& usable_options() {
    if (!project_.problems().empty()) reject(project_.problems().front());
    const auto made = project_.options_without_settings();
    if (const auto* problem = std::get_if<project::Problem>(&made)) reject(*problem);
    return *std::get<const project::FileOptions*>(made);
  }

  [[noreturn]] static void reject(const project::Problem& problem) { throw Error(problem.what + ": " + problem.why); }

  project::Project project_;
  project::FileOptions options_;
  Compilation compilation_;
};

}  // namespace

Report validate(std::string_view text, const Options& options) {
  return report_of(Reading(text, options).compilation());
}

Fixed fix(std::string_view text, const Options& options, bool unsafe) {
  Reading reading(text, options);
  const sparsecfg::Fixed fixed = sparsecfg::fix(reading.take(), reading.compile_options(), {unsafe});
  return {std::string(fixed.result.file->text()), fixed.applied.size(), report_of(fixed.result)};
}

static TimelineRow row_of(const timeline::Evaluator& evaluator, const timeline::Run& run, std::uint64_t step) {
  TimelineRow row{step, run.epoch_of(step), {}, {}};
  for (const auto& group : evaluator.optimizer().groups()) row.learning_rates.push_back(group.rate);
  for (const timeline::Column& column : evaluator.columns()) {
    row.sparsities.push_back(evaluator.sparsities()[column.track]);
  }
  return row;
}

Timeline timeline(std::string_view text, const Options& options) {
  const Reading reading(text, options);
  Timeline out{report_of(reading.compilation()), {}, {}};
  const auto run = reading.compilation().runs() ? reading.run() : std::nullopt;
  if (!run) {
    return out;
  }
  timeline::Evaluator evaluator(*reading.compilation().recipe, *run);
  for (const timeline::Column& column : evaluator.columns()) out.columns.push_back(column.label);
  while (evaluator.next_step() < run->steps()) {
    evaluator.advance();
    out.rows.push_back(row_of(evaluator, *run, evaluator.step()));
  }
  while (evaluator.next_step() <= run->steps()) evaluator.advance();
  out.rows.push_back(row_of(evaluator, *run, run->steps()));
  return out;
}

Conversion convert(std::string_view text, std::string_view to, const Options& options) {
  const dialect::Dialect* target = dialect::find_dialect(to);
  if (target == nullptr || !dialect::is_written(*target)) throw Error("cannot write the dialect " + std::string(to));
  const Reading reading(text, options);
  const Compilation& compilation = reading.compilation();
  Conversion out{report_of(compilation), {}, {}, {}, false};
  if (compilation.count(diag::Severity::error) > 0 || !compilation.recipe) {
    return out;
  }
  const convert::Request request{target, reading.compile_options(), reading.settings().initial_rate, false};
  if (!convert::is_onto_itself(*compilation.recipe, *target) && !convert::run_of(*compilation.recipe, request)) {
    throw Error("the training length is unknown; set `epochs`");
  }
  convert::Conversion conversion = convert::convert(compilation, request);
  add_findings(out.report, *compilation.file, conversion.diagnostics);
  for (const convert::Fidelity& each : conversion.fidelity) {
    const ir::Origin& origin = compilation.recipe->actions[each.action].origin;
    out.actions.push_back({origin.class_name, std::string(to_string(each.kind)), each.reason});
  }
  out.text = std::move(conversion.text);
  out.notes = std::move(conversion.notes);
  out.complete = !conversion.drops;
  return out;
}

std::string match(std::string_view text, const Options& options) {
  const Reading reading(text, options);
  const Compilation& compilation = reading.compilation();
  if (!compilation.recipe || !std::ranges::all_of(compilation.recipe->actions, &ir::Action::valid)) {
    return "";
  }
  const match::Matching matching(*compilation.recipe, reading.compile_options().parameters,
                                 reading.compile_options().modules);
  if (!matching.complete()) throw Error("the selectors match too many names to list");
  return matching.json(reading.compile_options().read.modules.get());
}

std::optional<std::string> explain(std::string_view code) {
  const diag::Info* info = diag::find(code);
  return info == nullptr ? std::nullopt : std::optional<std::string>(info->explanation);
}

}  // namespace sparsecfg::api
