#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "cmd/commands.h"
#include "cmd/log.h"
#include "cmd/reading.h"
#include "diag/render_json.h"
#include "diag/render_text.h"
#include "dialect/dialect.h"
#include "settings.h"

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

// Does every `stride`-th input from `first` on.
static void compile_some(const std::vector<Input>& inputs, const CompileOptions& common, std::istream& in, std::size_t first,
                         std::size_t stride, std::vector<Outcome>& outcomes) {
  for (std::size_t at = first; at < inputs.size(); at += stride) {
    const Input& input = inputs[at];
    CompileOptions options = common;
    options.skip_unknown = common.skip_unknown || !input.named;
    source::Loaded text = load(input.path, options.limits, in);
    const auto* failure = std::get_if<source::LoadError>(&text);
    if (failure != nullptr && !failure->too_large) {
      outcomes[at].failure = failure->reason;
    } else {
      outcomes[at].result = compile(input.name, std::move(text), options);
    }
  }
}

// In the order of the inputs, whichever thread did them. A few files are done before a second
// thread has started.
static std::vector<Outcome> compile_all(const std::vector<Input>& inputs, const CompileOptions& options, std::istream& in) {
  std::vector<Outcome> outcomes(inputs.size());
  constexpr std::size_t kWorthAThread = 16;
  if (inputs.size() < kWorthAThread) {
    compile_some(inputs, options, in, 0, 1, outcomes);
    return outcomes;
  }
  std::jthread second([&] { compile_some(inputs, options, in, 1, 2, outcomes); });
  compile_some(inputs, options, in, 0, 2, outcomes);
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

// "2 files checked: 1 error, 3 warnings"
static std::string summary(const Totals& totals, bool verbose) {
  std::string text = plural(totals.files, "file") + " checked: ";
  text += totals.errors + totals.warnings == 0 ? "no errors" : plural(totals.errors, "error") + ", " + plural(totals.warnings, "warning");
  if (totals.infos > 0 && !verbose) {
    text += fmt::format(" ({}: --verbose)", plural(totals.infos, "note"));
  }
  return text + "\n";
}

// What a warning-free answer does not cover.
static std::string unchecked(const ReadingOptions& options, const Prepared& prepared, const std::vector<Compilation>& results) {
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
  if ((any && lacks_shapes(prepared.modules)) || (!all && lacks_shapes(prepared.parameters))) missing.emplace_back("what depends on shapes (the names have none)");
  if (!options.steps_per_epoch) missing.emplace_back("what depends on the steps of an epoch (--steps-per-epoch)");
  if (!options.epochs) missing.emplace_back("runs of another length than the recipe's own (--epochs)");
  return missing.empty() ? "" : fmt::format("not checked: {}\n", fmt::join(missing, ", "));
}

static void print_text(const std::vector<Compilation>& results, const ValidateOptions& options, const Prepared& prepared, const Streams& streams) {
  const diag::TextOptions text{streams.color, streams.columns};
  for (const Compilation& result : results) {
    std::vector<diag::Diagnostic> shown = result.diagnostics;
    if (!options.reading.verbose) {
      std::erase_if(shown, [](const diag::Diagnostic& diagnostic) { return diagnostic.severity == Severity::info; });
    }
    streams.out << diag::render_text(*result.file, shown, text);
  }
  streams.out << summary(count(results), options.reading.verbose);
  if (options.reading.verbose) {
    streams.out << unchecked(options.reading, prepared, results);
  }
}

static void print_json(std::vector<Compilation>& results, const Streams& streams) {
  std::vector<diag::FileReport> reports;
  for (Compilation& result : results) {
    reports.push_back({result.file.get(), result.dialect, std::move(result.diagnostics)});
  }
  streams.out << diag::render_json(reports);
}

// What counts on the command line comes on top of what the project has settled.
class Judge {
 public:
  Judge(const ValidateOptions& options, std::ostream& err) : options_(options), err_(err) {
    for (const auto& codes : {options.select, options.ignore}) {
      std::ranges::for_each(codes, [&](const std::string& code) { check_code(code); });
    }
    for (const std::string& assignment : options.severity) {
      const std::size_t equals = std::min(assignment.find('='), assignment.size());
      const auto severity = diag::read_severity(std::string_view(assignment).substr(std::min(equals + 1, assignment.size())));
      check_code(assignment.substr(0, equals));
      if (severity) {
        severities_.emplace_back(assignment.substr(0, equals), *severity);
      } else {
        refuse("--severity " + assignment, "write CODE=error, CODE=warning or CODE=info");
      }
    }
  }

  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] bool failed() const { return failed_; }

  // Drops what does not count; whether what is left makes the run fail is remembered.
  void judge(const Input& input, Compilation& result) {
    const auto& found = finder_.of(input.path);
    if (const auto* error = std::get_if<SettingsError>(&found)) {
      if (complained_.insert(error->path).second) refuse(error->path, error->reason);
      return;
    }
    const Settings& settings = std::get<Settings>(found);
    diag::Levels levels = settings.levels;
    levels.select = options_.select.empty() ? levels.select : options_.select;
    levels.ignore.insert(levels.ignore.end(), options_.ignore.begin(), options_.ignore.end());
    levels.severities.insert(levels.severities.end(), severities_.begin(), severities_.end());
    levels.apply(result.diagnostics);
    const Severity least = options_.fail_on.value_or(settings.fail_on.value_or(Severity::error));
    failed_ |= std::ranges::any_of(result.diagnostics, [&](const diag::Diagnostic& each) { return each.severity <= least; });
  }

 private:
  void check_code(const std::string& code) {
    if (!diag::names_any(code)) refuse(code, "there is no such diagnostic; `sparsecfg explain codes` lists them");
  }

  void refuse(const std::string& what, const std::string& why) {
    complain(err_, what, why);
    sound_ = false;
  }

  const ValidateOptions& options_;
  std::ostream& err_;
  std::vector<std::pair<std::string, Severity>> severities_;
  SettingsFinder finder_;
  std::set<std::string> complained_;
  bool sound_ = true;
  bool failed_ = false;
};

int validate(const ValidateOptions& options, const Streams& streams) {
  auto prepared = prepare(options.reading, streams.err);
  Judge judge(options, streams.err);
  if (!prepared || !judge.sound()) {
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
  std::vector<Outcome> outcomes = compile_all(inputs.files, prepared->compile, streams.in);
  std::vector<Compilation> results;
  for (std::size_t at = 0; at < outcomes.size(); ++at) {
    if (!outcomes[at].result) {
      complain(streams.err, inputs.files[at].name, outcomes[at].failure);
      inputs.complete = false;
    } else if (!outcomes[at].result->skipped) {
      judge.judge(inputs.files[at], *outcomes[at].result);
      results.push_back(std::move(*outcomes[at].result));
    }
  }
  if (options.format == Format::json) {
    print_json(results, streams);
  } else {
    print_text(results, options, *prepared, streams);
  }
  return !inputs.complete || !judge.sound() ? kUsage : judge.failed() ? kErrors : kClean;
}

}  // namespace sparsecfg::cmd
