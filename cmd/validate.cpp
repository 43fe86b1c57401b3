#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/line_diff.h"
#include "cmd/commands.h"
#include "cmd/severity_filter.h"
#include "cmd/log.h"
#include "cmd/reading.h"
#include "diag/render_json.h"
#include "diag/render_text.h"
#include "dialect/dialect.h"
#include "fix.h"

namespace sparsecfg::cmd {

using diag::Severity;

static std::string plural(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

// A file to check, what it is called, and whether the user named it or a search found it.
struct Input {
  std::string path;
  std::string name;
  bool named = true;
};

struct Inputs {
  std::vector<Input> files;
  bool complete = true;  // false: something could not be read, which is said already
};

static Inputs find_inputs(const ValidateOptions& options, std::ostream& err) {
  Inputs inputs;
  const std::vector<std::string> here = {"."};
  for (const std::string& path : options.paths.empty() ? here : options.paths) {
    std::error_code ignored;
    if (path == "-" || !std::filesystem::is_directory(path, ignored)) {
      inputs.files.push_back({path, name_of(path, options.reading), true});
      continue;
    }
    const source::FoundFiles found = source::find_recipes(path);
    for (const std::string& file : found.files) {
      inputs.files.push_back({file, file, false});
    }
    for (const auto& problem : found.problems) {
      complain(err, problem.path, problem.reason);
      inputs.complete = false;
    }
  }
  return inputs;
}

// What became of an input: a compilation, or why it could not be read.
struct Outcome {
  std::optional<Compilation> result;
  std::string failure;
};

// A file that a search found need not be a recipe.
static CompileOptions options_for(const Input& input, const CompileOptions& common) {
  CompileOptions options = common;
  options.skip_unknown = common.skip_unknown || !input.named;
  return options;
}

// Does every `stride`-th input from `first` on. Thousands of schedules that nobody asks for again only cost room.
static void compile_some(const std::vector<Input>& inputs, const CompileOptions& common, bool keep_schedules,
                         std::istream& in, std::size_t first, std::size_t stride, std::vector<Outcome>& outcomes) {
  for (std::size_t at = first; at < inputs.size(); at += stride) {
    const Input& input = inputs[at];
    source::Loaded text = load(input.path, common.limits, in);
    const auto* failure = std::get_if<source::LoadError>(&text);
    if (failure != nullptr && !failure->too_large) {
      outcomes[at].failure = failure->reason;
    } else {
      outcomes[at].result = compile(input.name, std::move(text), options_for(input, common));
      if (!keep_schedules) outcomes[at].result->recipe.reset();
    }
  }
}

// In the order of the inputs, whichever thread did them. A few files are done before a second
// thread has started.
static std::vector<Outcome> compile_all(const std::vector<Input>& inputs, const CompileOptions& options,
                                        bool keep_schedules, std::istream& in) {
  std::vector<Outcome> outcomes(inputs.size());
  constexpr std::size_t kWorthAThread = 16;
  if (inputs.size() < kWorthAThread) {
    compile_some(inputs, options, keep_schedules, in, 0, 1, outcomes);
    return outcomes;
  }
  std::jthread second([&] { compile_some(inputs, options, keep_schedules, in, 1, 2, outcomes); });
  compile_some(inputs, options, keep_schedules, in, 0, 2, outcomes);
  second.join();
  return outcomes;
}

struct Totals {
  std::size_t files = 0;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t infos = 0;
};

static Totals count(const std::vector<Compilation>& results) {
  Totals totals;
  for (const Compilation& result : results) {
    ++totals.files;
    totals.errors += result.count(Severity::error);
    totals.warnings += result.count(Severity::warning);
    totals.infos += result.count(Severity::info);
  }
  return totals;
}

// "2 files checked, 4 findings fixed: 1 error, 3 warnings"
static std::string summary(const Totals& totals, std::optional<std::size_t> fixed, bool verbose) {
  std::string text = plural(totals.files, "file") + " checked";
  text += fixed ? ", " + plural(*fixed, "finding") + " fixed: " : ": ";
  text += totals.errors + totals.warnings == 0
              ? "no errors"
              : plural(totals.errors, "error") + ", " + plural(totals.warnings, "warning");
  if (totals.infos > 0 && !verbose) {
    text += fmt::format(" ({}: --verbose)", plural(totals.infos, "note"));
  }
  return text + "\n";
}

// "3 fixable with --fix, 1 more with --unsafe-fixes"
static std::string offer(const std::vector<Compilation>& results, const ValidateOptions& options) {
  std::size_t now = 0;
  std::size_t all = 0;
  for (const Compilation& result : results) {
    now += static_cast<std::size_t>(std::ranges::count_if(
        result.diagnostics, [&](const auto& each) { return is_fixable(each, options.unsafe_fixes); }));
    all += static_cast<std::size_t>(
        std::ranges::count_if(result.diagnostics, [](const auto& each) { return is_fixable(each, true); }));
  }
  const std::string unsafe = options.fix ? "--unsafe-fixes" : "--fix --unsafe-fixes";
  if (options.fix || now == 0) {
    return all == now ? "" : fmt::format("{} fixable with {}\n", all - now, unsafe);
  }
  const std::string first = fmt::format("{} fixable with {}", now, options.unsafe_fixes ? unsafe : "--fix");
  return first + (all == now ? "\n" : fmt::format(", {} more with --unsafe-fixes\n", all - now));
}

// What a warning-free answer does not cover.
static std::string unchecked(const ReadingOptions& options, const Prepared& prepared,
                             const std::vector<Compilation>& results) {
  const auto by_modules = [](const Compilation& result) {
    const dialect::Dialect* dialect = result.dialect ? dialect::find_dialect(*result.dialect) : nullptr;
    return dialect != nullptr && dialect->modules;
  };
  const bool any = std::ranges::any_of(results, by_modules);
  const bool all = any && std::ranges::all_of(results, by_modules);
  std::vector<std::string> missing;
  if (any && options.modules.empty()) missing.emplace_back("what entries select (--modules)");
  if (!all && options.parameters.empty()) missing.emplace_back("what selectors take (--params)");
  const auto lacks_shapes = [](const auto& names) { return names != nullptr && !names->has_shapes(); };
  if ((any && lacks_shapes(prepared.modules)) || (!all && lacks_shapes(prepared.parameters)))
    missing.emplace_back("what depends on shapes (the names have none)");
  if (!options.steps_per_epoch) missing.emplace_back("what depends on the steps of an epoch (--steps-per-epoch)");
  if (!options.epochs) missing.emplace_back("runs of another length than the recipe's own (--epochs)");
  return missing.empty() ? "" : fmt::format("not checked: {}\n", fmt::join(missing, ", "));
}

static void print_text(const std::vector<Compilation>& results, const ValidateOptions& options,
                       const Prepared& prepared, std::optional<std::size_t> fixed, const Streams& streams,
                       std::ostream& out) {
  const diag::TextOptions text{streams.color, streams.columns};
  for (const Compilation& result : results) {
    std::vector<diag::Diagnostic> shown = result.diagnostics;
    if (!options.reading.verbose) {
      std::erase_if(shown, [](const diag::Diagnostic& diagnostic) { return diagnostic.severity == Severity::info; });
    }
    out << diag::render_text(*result.file, shown, text);
  }
  out << summary(count(results), fixed, options.reading.verbose) << offer(results, options);
  if (options.reading.verbose) {
    out << unchecked(options.reading, prepared, results);
  }
}

static void print_json(std::vector<Compilation>& results, std::optional<std::size_t> fixed, std::ostream& out) {
  std::vector<diag::FileReport> reports;
  for (Compilation& result : results) {
    reports.push_back({result.file.get(), result.dialect, std::move(result.diagnostics)});
  }
  out << diag::render_json(reports, fixed);
}

// Mends recipes, or shows what that would change.
class FixApplier {
 public:
  FixApplier(const ValidateOptions& options, const CompileOptions& compile_options, SeverityFilter& judge, const Streams& streams)
      : options_(options), compile_(compile_options), judge_(judge), streams_(streams) {}

  // Puts the fixed recipe in the place of the one that was read. False where it can't be written.
  bool apply_fixes(const Input& input, Compilation& result) {
    const auto filter = [&](std::vector<diag::Diagnostic>& diagnostics) { judge_.filter(input.path, diagnostics); };
    const std::string before(result.file->text());
    Fixed fixed = fix(std::move(result), options_for(input, compile_), {options_.unsafe_fixes, filter});
    result = std::move(fixed.result);
    if (!judge_.valid() || !hand_over(input, before, std::string(result.file->text()))) {
      return false;
    }
    findings_ += fixed.findings;
    return true;
  }

  [[nodiscard]] std::size_t findings() const { return findings_; }

 private:
  bool hand_over(const Input& input, const std::string& before, const std::string& after) {
    if (options_.diff) {
      streams_.out << base::unified_diff(before, after, input.name);
    } else if (input.path == "-") {
      streams_.out << after;
    } else if (after != before) {
      if (const auto unwritten = source::write_file_atomically(input.path, after)) {
        complain(streams_.err, input.path, *unwritten);
        return false;
      }
    }
    return true;
  }

  const ValidateOptions& options_;
  const CompileOptions& compile_;
  SeverityFilter& judge_;
  const Streams& streams_;
  std::size_t findings_ = 0;
};

// What is left to say of each file that could be read, after it was fixed where that is asked for.
static std::vector<Compilation> resolve(Inputs& inputs, std::vector<Outcome> outcomes, const ValidateOptions& options,
                                       SeverityFilter& judge, FixApplier& mender, std::ostream& err) {
  std::vector<Compilation> results;
  for (std::size_t at = 0; at < outcomes.size(); ++at) {
    auto& [result, failure] = outcomes[at];
    if (!result) {
      complain(err, inputs.files[at].name, failure);
      inputs.complete = false;
      continue;
    }
    if (options.fix || options.diff) {
      inputs.complete &= mender.apply_fixes(inputs.files[at], *result);
    }
    if (!result->skipped) {
      judge.judge(inputs.files[at].path, result->diagnostics);
      results.push_back(std::move(*result));
    }
  }
  return results;
}

int validate(const ValidateOptions& options, const Streams& streams) {
  auto prepared = prepare(options.reading, streams.err);
  SeverityFilter judge(options, streams.err);
  if (!prepared || !judge.valid()) {
    if (options.format == Format::json) {
      streams.out << diag::render_json({});
    }
    return kUsage;
  }
  prepared->compile.skip_unknown = options.skip_unknown;
  Inputs inputs = find_inputs(options, streams.err);
  if (options.reading.verbose) {
    log(fmt::format("{} to read", plural(inputs.files.size(), "file")));
  }
  FixApplier mender(options, prepared->compile, judge, streams);
  std::vector<Outcome> outcomes = compile_all(inputs.files, prepared->compile, options.fix || options.diff, streams.in);
  std::vector<Compilation> results = resolve(inputs, std::move(outcomes), options, judge, mender, streams.err);
  const auto fixed = options.fix ? std::optional(mender.findings()) : std::nullopt;
  // Where the fixed text goes to standard output the report makes room for it.
  const bool text_is_out = options.fix && std::ranges::find(inputs.files, "-", &Input::path) != inputs.files.end();
  std::ostream& out = text_is_out ? streams.err : streams.out;
  if (options.diff) {
    streams.err << fmt::format("{} would be fixed\n", plural(mender.findings(), "finding"));
  } else if (options.format == Format::json) {
    print_json(results, fixed, out);
  } else {
    print_text(results, options, *prepared, fixed, streams, out);
  }
  return !inputs.complete || !judge.valid() ? kUsage : judge.failed() ? kErrors : kClean;
}

}  // namespace sparsecfg::cmd
