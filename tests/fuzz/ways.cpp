#include "tests/fuzz/ways.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "compile/fix.h"
#include "compose/compose.h"
#include "convert/convert.h"
#include "diag/render_text.h"
#include "diff/diff.h"
#include "diff/report.h"
#include "format/format.h"
#include "inspect/inspect.h"
#include "match/matching.h"
#include "picture/picture.h"
#include "report/report.h"
#include "rescale/rescale.h"
#include "tests/fuzz/targets.h"
#include "timeline/writers.h"

namespace sparsecfg::fuzz {

static std::size_t hash_of(const Compilation& result) { return std::hash<std::string_view>()(result.file->text()); }

// `number`: one for each thing that is chosen by the same text.
template <class List>
static const auto& chosen(const Compilation& result, std::size_t number, const List& list) {
  return list[(hash_of(result) >> (8 * number)) % std::size(list)];
}

static bool has_errors(const Compilation& result) { return result.count(diag::Severity::error) > 0; }

// What is printed is UTF-8 without control characters for terminals.
static void check_printable(std::string_view text) {
  require(base::find_invalid_utf8(text) == text.size());
  require(text.find('\x1b') == std::string_view::npos);
}

void check_spans(const Compilation& result) {
  const std::size_t size = result.file->text().size();
  for (const auto& diagnostic : result.diagnostics) {
    require(is_inside(diagnostic.span, size));
    for (const auto& label : diagnostic.labels) {
      require(is_inside(label.span, size));
    }
    std::uint32_t end = 0;
    for (const auto& edit : diagnostic.fix.edits) {
      require(is_inside(edit.span, size) && edit.span.begin >= end);
      end = edit.span.end;
    }
  }
}

static void validate(Compilation result, const CompileOptions&) {
  check_printable(diag::render_text(*result.file, result.diagnostics, {}));
  report::Report report;
  report.files.push_back({result.file.get(), result.dialect, result.diagnostics});
  static_cast<void>(chosen(result, 1, report::formats()).render(report, {}));
}

// What has no errors can be written in every dialect, and reads back as it should. A schedule of another program may
// contradict itself, which is reported as our own fault.
static void convert(Compilation result, const CompileOptions& options) {
  if (!result.recipe || has_errors(result)) {
    return;
  }
  const dialect::Dialect* dialect = chosen(result, 1, dialect::dialects());
  const convert::Request request{dialect, options, 0.1, false};
  const bool onto_itself = convert::is_onto_itself(*result.recipe, *dialect);
  if (dialect->write == nullptr || !(onto_itself || convert::run_of(*result.recipe, request))) {
    return;
  }
  const convert::Conversion conversion = convert::convert(result, request);
  require(!conversion.faulty || dialect::find_dialect(*result.dialect)->is_lossless());
  check_printable(convert::report_text(conversion, result));
  static_cast<void>(convert::report_json(conversion, result, dialect->name));
}

static void repair(Compilation result, const CompileOptions& options) {
  const bool readable = result.recipe.has_value();
  const bool runs = result.runs();
  const Fixed fixed = fix(std::move(result), options, {.unsafe = true});
  check_spans(fixed.result);
  require(fixed.result.recipe.has_value() >= readable && fixed.result.runs() >= runs);
  constexpr std::size_t kMaxRounds = 20;  // of fix(), which leaves the rest for the next call
  const std::string text(fixed.result.file->text());
  const Fixed again = fix(compile(fixed.result.file->name(), text, options), options, {.unsafe = true});
  require(again.result.file->text() == text || fixed.applied.size() >= kMaxRounds);
}

// The run that `timeline` would follow; nullopt if there is none.
static std::optional<timeline::Run> run_of(const Compilation& result, const CompileOptions& options) {
  if (!result.runs() || !result.recipe->has_timeline()) {
    return std::nullopt;
  }
  const auto& length = result.recipe->length;
  const double epochs = options.read.epochs.value_or(length ? length->epochs : 2);
  const std::size_t steps = options.read.steps_per_epoch.value_or(result.recipe->steps_per_epoch.value_or(10));
  return epochs < 0 ? std::nullopt
                    : std::optional(timeline::Run{steps, epochs, 0.1, options.parameters, options.modules});
}

static void show_timeline(Compilation result, const CompileOptions& options) {
  const auto run = run_of(result, options);
  if (!run) {
    return;
  }
  const ir::Recipe& recipe = *result.recipe;
  const source::SourceFile& file = *result.file;
  std::size_t left = 100'000;
  const source::Write write = [&](std::string_view text) {
    check_printable(text);
    left -= std::min(left, text.size());
    return left > 0;
  };
  using timeline::Rows;
  const std::function<void()> formats[] = {
      [&] { (void)write(timeline::summarize(recipe, *run, file)); },
      [&] { (void)write(timeline::summarize_json(recipe, *run, file)); },
      [&] { (void)timeline::write_csv(recipe, *run, 0, run->steps(), write); },
      [&] { (void)timeline::write_jsonl(recipe, *run, 0, run->steps(), false, write); },
      [&] {
        (void)timeline::write_table(recipe, *run, file, 0, run->steps(), {Rows::milestones, 100}, write);
      },
      [&] {
        (void)timeline::write_table(recipe, *run, file, 0, run->steps(), {Rows::changes, 60}, write);
      },
      [&] { (void)write(picture::draw_svg(recipe, *run, file.name())); },
      [&] { (void)write(picture::draw_page(recipe, *run, file, result.diagnostics)); },
  };
  chosen(result, 1, formats)();
}

// Returns the tree of a recipe's text as `rescale` and `normalize` read it; nullopt for scripts and broken texts.
static std::optional<doc::Document> document_of(const Compilation& result, const CompileOptions& options) {
  const auto part = format::part_of(*result.file);
  diag::Sink ignored;
  return part && base::to_lower(base::ending_of(result.file->name())) != "py"
             ? doc::read_yaml(*result.file, *part, options.limits, ignored)
             : std::nullopt;
}

static bool does_the_same(const std::optional<ir::Recipe>& a, const std::optional<ir::Recipe>& b) {
  const auto same = [](const ir::Action& one, const ir::Action& other) {
    const bool nan = one.effect != ir::Effect(one.effect);  // which differs even from itself
    return (nan || one.effect == other.effect) && one.cadence == other.cadence && one.valid == other.valid;
  };
  return a.has_value() == b.has_value() && (!a || std::ranges::equal(a->actions, b->actions, same));
}

// The formatted text says what the text says, and is formatted. With the values of its variables it is another recipe.
static void normalize(Compilation result, const CompileOptions& options) {
  const auto document = document_of(result, options);
  const dialect::Dialect* dialect = result.dialect ? dialect::find_dialect(*result.dialect) : nullptr;
  if (!document || dialect == nullptr) {
    return;
  }
  diag::Sink ignored;
  const bool resolves = result.recipe && !has_errors(result) && hash_of(result) / 100 % 2 == 0;
  const source::SourceFile file(
      result.file->name(),
      resolves ? format::resolve_variables(*result.file, *document, *result.recipe) : std::string(result.file->text()));
  const auto formatted = format::format(file, dialect->order, options.limits, ignored);
  require(formatted && !formatted->faulty);
  const source::SourceFile again(file.name(), formatted->text);
  const auto twice = format::format(again, dialect->order, options.limits, ignored);
  require(twice && twice->text == formatted->text);
  const Compilation after = compile(again.name(), std::string(again.text()), options);
  require(resolves || does_the_same(after.recipe, result.recipe));
}

static void rescale(Compilation result, const CompileOptions& options) {
  const auto document = document_of(result, options);
  if (!document || !result.recipe || has_errors(result) || !result.recipe->trains) {
    return;
  }
  const dialect::Dialect& dialect = *dialect::find_dialect(*result.dialect);
  if (dialect.times == nullptr || dialect.is_lossless()) {
    return;
  }
  constexpr double kFactors[] = {2, 0.5, 1.0 / 3, 1, 1e-9, 1e12};
  const std::size_t choice = hash_of(result) / 100;
  const rescale::Request request{
      options, {}, rescale::Factor{chosen(result, 1, kFactors), 1}, choice % 2 == 0, choice % 3 == 0};
  const rescale::Rescaled rescaled = rescale::rescale(result, *document, dialect, request);
  check_printable(rescale::report_text(rescaled, result));
  static_cast<void>(rescale::report_json(rescaled, result));
}

// A small recipe that runs, to be compared with.
static const Compilation& other_recipe() {
  static const Compilation kOther = compile("other.yaml",
                                            std::string("modifiers:\n- !EpochRangeModifier {start_epoch: 0.0, "
                                                        "end_epoch: 3.0}\n- !GMPruningModifier {start_epoch: 0.0, "
                                                        "end_epoch: 2.0, update_frequency: 0.5, init_sparsity: 0.05, "
                                                        "final_sparsity: 0.8, params: __ALL_PRUNABLE__}\n"),
                                            {});
  return kOther;
}

// A recipe does not differ from itself, and can be compared with another one.
static void compare(Compilation result, const CompileOptions& options) {
  if (!result.runs()) {
    return;
  }
  const diff::Request request{options.read.steps_per_epoch, options.read.epochs, 0.1,
                              options.parameters,           options.modules,     options.read.modules.get()};
  require(diff::compare(result, result, request).same());
  const diff::Names names{"before", "after"};
  const diff::Difference difference = diff::compare(other_recipe(), result, request);
  check_printable(diff::report_text(difference, other_recipe(), result, names));
  check_printable(diff::report_markdown(difference, other_recipe(), result, names));
  static_cast<void>(diff::report_json(difference, other_recipe(), result, names));
  if (difference.run) {
    static_cast<void>(picture::draw_svg_of_two(*other_recipe().recipe, *difference.run, *result.recipe,
                                               *difference.other_run, "both"));
  }
}

// The recipe after itself.
static void compose(Compilation result, const CompileOptions& options) {
  const bool runs = result.runs();
  const dialect::Dialect* dialect = runs ? dialect::find_dialect(result.recipe->dialect) : nullptr;
  if (dialect == nullptr || dialect->compose == nullptr) {
    return;
  }
  Compilation second = compile(result.file->name(), std::string(result.file->text()), options);
  Compilation* const both[] = {&result, &second};
  const dialect::ComposeOptions rules{.keep_epochs = hash_of(result) / 100 % 2 == 0};
  check_printable(compose::report_text(compose::compose(both, *dialect, rules, options), 2));
}

static void match_and_inspect(Compilation result, const CompileOptions& options) {
  if (!result.recipe || !std::ranges::all_of(result.recipe->actions, &ir::Action::valid)) {
    return;
  }
  const match::Matching matching(*result.recipe, options.parameters, options.modules);
  if (matching.complete()) {
    check_printable(matching.text(true));
    static_cast<void>(matching.json());
    static_cast<void>(matching.explain("head.weight"));
  }
  const auto facts = inspect::gather(*result.recipe, options.read.epochs, options.read.steps_per_epoch);
  check_printable(inspect::text(*result.recipe, facts));
  static_cast<void>(inspect::json(*result.recipe, facts, result.file->name(), result.recipes));
}

void run_one_way(Compilation result, const CompileOptions& options) {
  static constexpr void (*kWays[])(Compilation, const CompileOptions&) = {
      validate, convert, repair, show_timeline, normalize, rescale, compare, compose, match_and_inspect,
  };
  chosen(result, 0, kWays)(std::move(result), options);
}

}  // namespace sparsecfg::fuzz
