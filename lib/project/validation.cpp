#include "project/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "architecture/user_model.h"
#include "base/parallel.h"
#include "base/text.h"
#include "compile/fix.h"
#include "compile/unknown_reason.h"
#include "dialect/dialect.h"
#include "dialect/dialects.h"
#include "dialect/runtime_option.h"
#include "project/model_facts.h"
#include "source/load.h"
#include "source/save.h"
#include "source/search.h"

namespace sparsecfg::project {

namespace {

// A file to check. `named` is true if the user named it, false if a search found it.
struct Input {
  std::string path;
  std::string name;
  bool named = true;
  const FileOptions* options = nullptr;
  bool may_write = true;                                 // false for a recipe that only a script names
  std::optional<ir::CallModel> model{};                  // that scripts pass with it
  std::string script{};                                  // such a script
  std::string_view runtime{};                            // that a script serves the checkpoint with; empty: none
  std::uint64_t gpus = 1;                                // of this runtime
  std::optional<std::string> dialect{};                  // instead of the one that the user names
  std::optional<dialect::distiller::TrainingRun> run{};  // that scripts start with the file
};

// Result of an input: a compilation, or the reason why it could not be read.
struct Outcome {
  std::optional<Compilation> result;
  std::string failure;
  std::optional<source::FileIdentity> identity{};  // of the file that was read, if fixes may be written to it
  ModelFacts facts{};
};

// The runtime that serves a checkpoint applies unless the user selects another one, and so does its number of GPUs.
void use_runtime(const Input& input, dialect::ReadOptions& options) {
  const std::string_view selected = dialect::runtime_name(options);
  const bool other = !selected.empty() && selected.substr(0, selected.find('@')) != input.runtime;
  if (input.runtime.empty() || other) return;
  if (selected.empty()) dialect::set_reader_option("runtime", input.runtime, options);
  const bool given = options.given({.name = "tensor-parallel", .doc = ""}).has_value();
  if (input.gpus > 1 && !given) dialect::set_reader_option("tensor-parallel", std::to_string(input.gpus), options);
}

// The settings of the run that a script starts with the file apply unless the user selects others.
void use_run(const Input& input, dialect::ReadOptions& options) {
  constexpr std::string_view kFork = "distiller";
  if (!input.run) return;
  if (!options.epochs) options.epochs = input.run->epochs;
  if (input.run->ai8x && !options.given({.name = kFork, .doc = ""})) {
    dialect::set_reader_option(kFork, "ai8x", options);
  }
  const auto& schedule = input.run->schedule;
  if (schedule && options.epochs) options.last_drop = last_milestone(*schedule, *options.epochs);
  const auto& policy = input.run->qat_policy;
  if (!policy || !input.options->settings.qat_policy.empty()) return;
  options.without_qat = policy->empty();
  if (!policy->empty()) options.qat_start = start_of_qat(*policy);
}

// Returns the options for an input. Files that were found by a search need not be recipes.
CompileOptions options_for(const Input& input, bool skip_unknown) {
  CompileOptions options = input.options->compile;
  options.skip_unknown = skip_unknown || !input.named;
  options.passed = input.model;
  options.passed_in = input.script;
  if (input.dialect) options.from = input.dialect;
  use_runtime(input, options.read);
  use_run(input, options.read);
  return options;
}

bool is_info(const diag::Diagnostic& diagnostic) { return diagnostic.severity == diag::Severity::info; }

class Validator {
 public:
  Validator(const ValidationOptions& options, Project& project, std::istream& in)
      : options_(options), project_(project), in_(in) {}

  Validation run() {
    out_.problems = project_.problems();
    find_inputs();
    if (out_.problems.empty()) {
      std::vector<Outcome> outcomes = compile_all();
      add_references(outcomes);
      add_policies(outcomes);
      out_.compilations.reserve(outcomes.size());
      out_.options.reserve(outcomes.size());
      for (std::size_t at = 0; at < inputs_.size(); ++at) {
        handle(inputs_[at], outcomes[at]);
      }
    }
    make_report();
    return std::move(out_);
  }

 private:
  void find_inputs() {
    const std::vector<std::string>& paths = options_.paths;
    std::vector<char> folders(paths.size());  // determined in parallel, because there may be thousands
    base::for_each_index(paths.size(), [&](std::size_t at) {
      std::error_code ignored;
      folders[at] = paths[at] != "-" && std::filesystem::is_directory(paths[at], ignored);
    });
    inputs_.reserve(paths.size());
    for (std::size_t at = 0; at < paths.size(); ++at) {
      const std::string& path = paths[at];
      if (folders[at] != 0) {
        searched_.push_back(path);
        search(path);
        continue;
      }
      const std::string& name = path == "-" ? options_.stdin_name : path;
      if (options_.skip_unknown && project_.excludes(name, false)) {
        out_.report.skipped.push_back({name, "excluded by .sparsecfg.yaml"});
      } else {
        add_input({path, name, true});
      }
    }
    out_.inputs = inputs_.size();
    if (std::ranges::count(inputs_, "-", &Input::path) > 1) {
      out_.problems.push_back({"-", "standard input can be read only once; pass `-` once"});
    }
  }

  void search(const std::string& folder) {
    const auto excludes = [&](const std::string& path, bool is_folder) { return project_.excludes(path, is_folder); };
    const source::SearchResult found = source::search_recipes(folder, {!options_.no_ignore, excludes});
    for (const std::string& file : found.files) {
      add_input({file, file, false});
    }
    for (const auto& problem : found.problems) {
      out_.report.failures.push_back({problem.path, problem.reason});
    }
    for (const auto& skipped : found.skipped) {
      out_.report.skipped.push_back({skipped.path, skipped.reason});
    }
  }

  // Returns true for a file that is already an input, possibly by another name. Each file is fixed only once.
  bool is_repeated(const Input& input) {
    if (!options_.fix && !options_.diff) {
      return false;
    }
    std::error_code error;
    const auto path = std::filesystem::canonical(input.path, error);
    return !error && !fixed_paths_.insert(path).second;
  }

  void add_input(Input input) {
    if (is_repeated(input)) {
      return;
    }
    const auto options = project_.options_of(input.name);
    if (const auto* problem = std::get_if<Problem>(&options)) {
      if (reported_.insert(problem->what).second) out_.problems.push_back(*problem);
      return;
    }
    input.options = std::get<const FileOptions*>(options);
    inputs_.push_back(std::move(input));
  }

  // Compiles all inputs in parallel and returns the outcomes in the order of the inputs. Standard input is read by one
  // thread.
  std::vector<Outcome> compile_all() {
    std::vector<Outcome> outcomes(inputs_.size());
    base::for_each_index(inputs_.size(), [&](std::size_t at) { outcomes[at] = compile_input(inputs_[at]); });
    return outcomes;
  }

  // Returns the options of a file with the settings of its run.
  static FileOptions with_run(const Input& input) {
    FileOptions out = *input.options;
    use_run(input, out.compile.read);
    return out;
  }

  // Keeps what the report states about the models, and drops the models and the schedules: those of thousands of files
  // need too much memory.
  static void summarize(const Input& input, Outcome& outcome) {
    Compilation& result = *outcome.result;
    outcome.facts = input.run ? facts_of(result, with_run(input)) : facts_of(result, *input.options);
    result.recipe.reset();
    result.model.reset();
    for (RecipeModel& each : result.models) each.model.reset();
  }

  // Compiles recipes that scripts load from files, after the inputs. Files outside the folders of the scripts and of
  // the program are not read.
  void add_references(std::vector<Outcome>& outcomes) {
    std::map<std::filesystem::path, std::size_t> known;
    for (std::size_t at = 0; at < inputs_.size(); ++at) known.emplace(canonical_path(inputs_[at].path), at);
    std::set<std::size_t> changed;  // inputs that scripts use, too
    std::map<std::filesystem::path, Input> found;
    std::vector<std::filesystem::path> order;
    for (std::size_t at = 0; at < outcomes.size(); ++at) {
      const std::vector<RecipeReference> references = outcomes[at].result && inputs_[at].path != "-"
                                                          ? outcomes[at].result->references
                                                          : std::vector<RecipeReference>();
      for (RecipeReference reference : references) {
        const std::string path = referenced_file(inputs_[at].name, reference);
        if (path.empty()) continue;
        find_files(inputs_[at].name, reference);
        if (const auto input = known.find(canonical_path(path)); input != known.end()) {
          add_model(inputs_[input->second], reference, inputs_[at].name, changed.insert(input->second).second);
          continue;
        }
        const bool is_recipe = reference.runtime.empty() && (!reference.run || !reference.dialect.empty());
        const bool named = inputs_[at].named && is_recipe;
        const auto [file, is_new] = found.try_emplace(canonical_path(path), Input{path, path, named});
        if (is_new) order.push_back(file->first);
        file->second.may_write = false;
        add_model(file->second, reference, inputs_[at].name, is_new);
      }
    }
    for (const std::size_t at : changed) outcomes[at] = compile_input(inputs_[at]);
    for (const std::filesystem::path& file : order) {
      const std::size_t before = inputs_.size();
      add_input(std::move(found.at(file)));
      if (inputs_.size() > before) outcomes.push_back(compile_input(inputs_.back()));
    }
  }

  // Adds the model that a script passes with a recipe file. Different models are unknown.
  static void add_model(Input& input, const RecipeReference& reference, const std::string& script, bool is_first) {
    if (is_first) {
      input.model = reference.model;
      input.script = script;
      input.runtime = reference.runtime;
      input.gpus = reference.gpus;
      input.run = reference.run;
      if (!reference.dialect.empty()) input.dialect = std::string(reference.dialect);
      return;
    }
    if (input.run && reference.run) input.run->merge(*reference.run);
    if (input.model && reference.model && !input.model->is_same(*reference.model)) {
      input.model = ir::CallModel{{}, {}, {"calls pass different models with the recipe", {}}};
    }
  }

  // Compiles the QAT policies that run with the schedules, after the inputs.
  void add_policies(std::vector<Outcome>& outcomes) {
    std::set<std::filesystem::path> known;
    for (const Input& input : inputs_) known.insert(canonical_path(input.path));
    const std::size_t count = outcomes.size();
    for (std::size_t at = 0; at < count; ++at) {
      const std::string& path = inputs_[at].options->settings.qat_policy;
      const bool runs = outcomes[at].result && outcomes[at].result->dialect == dialect::distiller::kDialect.name;
      if (!runs || path.empty() || !known.insert(canonical_path(path)).second) continue;
      const std::size_t before = inputs_.size();
      Input policy{path, path, inputs_[at].named};
      policy.may_write = false;
      policy.dialect = dialect::ai8x::kDialect.name;
      add_input(std::move(policy));
      if (inputs_.size() > before) outcomes.push_back(compile_input(inputs_.back()));
    }
  }

  static std::filesystem::path canonical_path(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(path, ignored);
  }

  // Replaces the names of the files of a run by their paths; a missing one is unknown.
  static void find_files(const std::string& script, RecipeReference& reference) {
    const auto find = [&](std::optional<std::string>& name) {
      if (name.value_or("").empty()) return;
      std::string path = source::find_file_of_command(script, *name);
      name = path.empty() ? std::nullopt : std::optional(std::move(path));
    };
    if (!reference.run) return;
    find(reference.run->qat_policy);
    find(reference.run->schedule);
  }

  static std::string referenced_file(const std::string& script, const RecipeReference& reference) {
    return reference.run ? source::find_file_of_command(script, reference.path)
                         : referenced_file(script, reference.path);
  }

  // Returns the path of a regular file below the folder of the script or below the current folder; else an empty
  // string.
  static std::string referenced_file(const std::string& script, const std::string& reference) {
    if (std::filesystem::path(reference).is_absolute()) return {};
    for (const std::string& folder : source::folders_near(script)) {
      const std::string path = (std::filesystem::path(folder) / reference).lexically_normal().native();
      const auto file = source::resolve_below(folder.empty() ? "." : folder, path);
      if (std::holds_alternative<std::string>(file)) return path;
    }
    return {};
  }

  // Names the script whose command sets the length of the run.
  static void name_source_of_length(const Input& input, std::vector<diag::Diagnostic>& findings) {
    if (!input.run || !input.run->epochs || input.options->compile.read.epochs) return;
    for (diag::Diagnostic& finding : findings) {
      if (finding.info == &diag::starts_after_training.info && finding.caret.empty())
        finding.with_caret(fmt::format("`{}` sets the length of the run", base::printable(input.script)));
    }
  }

  Outcome compile_input(const Input& input) const {
    const std::size_t limit = input.options->compile.limits.bytes;
    const auto identity =
        options_.fix && input.path != "-" ? source::identity_of(input.path) : std::optional<source::FileIdentity>();
    source::Loaded text = input.path == "-" ? source::read_stdin(in_, limit) : source::read_file(input.path, limit);
    const auto* failure = std::get_if<source::LoadError>(&text);
    if (failure != nullptr && !failure->too_large) {
      return {std::nullopt, failure->reason};
    }
    const CompileOptions options = options_for(input, options_.skip_unknown);
    Outcome outcome{compile(input.name, std::move(text), options), {}, identity};
    name_source_of_length(input, outcome.result->diagnostics);
    if (!options_.fix && !options_.diff) {  // fix() tests the fixes as well, and needs the model
      test_fixes(*outcome.result, options);
      summarize(input, outcome);
    }
    return outcome;
  }

  void handle(const Input& input, Outcome& outcome) {
    if (!outcome.result) {
      out_.report.failures.push_back({input.name, outcome.failure});
      return;
    }
    Compilation& result = *outcome.result;
    if ((options_.fix || options_.diff) && input.may_write) {
      apply_fixes(input, result, outcome.identity);
    }
    if (options_.fix || options_.diff) summarize(input, outcome);
    out_.report.passed_over += result.passed_over ? 1 : 0;
    if (result.skipped) {
      out_.report.skipped.push_back(
          {input.name, result.passed_over ? "a script without a readable configuration" : "not a recipe"});
      return;
    }
    const std::size_t before = result.diagnostics.size();
    const std::size_t known = input.options->filter(*result.file, result.diagnostics);
    out_.report.known += known;
    out_.removed[input.options->path] += before - known - result.diagnostics.size();
    out_.compilations.push_back(std::move(result));
    out_.options.push_back(input.options);
    out_.missing.push_back(std::move(outcome.facts.missing));
    lines_.push_back(std::move(outcome.facts.lines));
  }

  // Replaces the compilation with that of the fixed recipe.
  void apply_fixes(const Input& input, Compilation& result, std::optional<source::FileIdentity> identity) {
    const auto filter = [&](const source::SourceFile& file, std::vector<diag::Diagnostic>& diagnostics) {
      input.options->filter(file, diagnostics);
      if (!options_.fix_infos) std::erase_if(diagnostics, is_info);
    };
    const std::string before(result.file->text());
    Fixed fixed = fix(std::move(result), options_for(input, options_.skip_unknown), {options_.unsafe_fixes, filter});
    result = std::move(fixed.result);
    if (const auto failure = emit(input, before, std::string(result.file->text()), identity)) {
      out_.report.failures.push_back({input.name, *failure});
    } else {
      if (options_.fix && !options_.diff) {
        out_.report.changes += base::unified_diff(before, result.file->text(), input.name);
      }
      for (const AppliedFix& each : fixed.applied) out_.fixed.push_back({input.name, each.line, each.info});
    }
  }

  // Writes the fixed text, or adds it to the diff or the output. Returns an error message on failure.
  std::optional<std::string> emit(const Input& input, const std::string& before, const std::string& after,
                                  std::optional<source::FileIdentity> identity) {
    if (options_.diff) {
      out_.text += base::unified_diff(before, after, input.name);
    } else if (input.path == "-") {
      out_.text += after;
    } else if (after != before) {
      return source::replace_file(input.path, before, after, identity);
    }
    return std::nullopt;
  }

  static std::vector<std::string> dialects_of(const Compilation& compilation) {
    std::vector<std::string> out;
    for (const ir::FoundRecipe& found : compilation.recipes) out.push_back(found.dialect);
    return out;
  }

  // Returns the options of the command line whose defaults the recipes have.
  static std::vector<std::string> assumed_of(const Compilation& compilation) {
    std::vector<std::string> out;
    for (const ir::FoundRecipe& found : compilation.recipes) {
      for (const std::string& option : found.assumed) {
        if (std::ranges::find(out, option) == out.end()) out.push_back(option);
      }
    }
    return out;
  }

  // Returns the release that the project requires, and where, if the recipes depend on it.
  static std::string release_of(const Compilation& compilation) {
    const bool uses = compilation.release && compilation.dialect == "llm-compressor" && !compilation.recipes.empty();
    if (!uses) {
      return {};
    }
    const AssumedRelease& release = *compilation.release;
    const std::string why = base::printable(release.why);
    return release.value.empty() ? why : fmt::format("llm-compressor {}: {}", release.value, why);
  }

  // Returns the recipes that are unknown. An error at such a recipe is the reason.
  static std::vector<report::NotChecked> not_checked_of(const Compilation& compilation) {
    std::vector<report::NotChecked> out;
    for (const UnreadRecipe& each : compilation.unread) {
      const auto explains = [&](const diag::Diagnostic& finding) {
        return finding.severity == diag::Severity::error && finding.span == each.span;
      };
      if (std::ranges::none_of(compilation.diagnostics, explains)) out.push_back({each.span, each.why});
    }
    return out;
  }

  // Returns the values of recipes that are unknown, unless they are part of an unknown recipe or reported as findings.
  static std::vector<report::NotChecked> values_of(const Compilation& compilation) {
    std::vector<report::NotChecked> out;
    for (const diag::Diagnostic& finding : compilation.diagnostics) {
      const auto is_recipe = [&](const UnreadRecipe& each) { return each.span == finding.span; };
      const bool listed = finding.info == &diag::value_not_checked.info && is_info(finding) &&
                          std::ranges::none_of(compilation.unread, is_recipe);
      if (listed) out.push_back({finding.span, unknown_reason(finding)});
    }
    const auto is_same = [](const report::NotChecked& one, const report::NotChecked& other) {
      return one.reason == other.reason;
    };
    out.erase(std::ranges::unique(out, is_same).begin(), out.end());
    return out;
  }

  // Returns true if the shapes of the layers are known.
  static bool has_shapes(const Compilation& compilation, const std::set<MissingInput>& missing) {
    const bool each = !compilation.models.empty() &&
                      std::ranges::all_of(compilation.models, [](const auto& found) { return found.model != nullptr; });
    const auto is_shape = [](MissingInput input) {
      return input == MissingInput::modules || input == MissingInput::parameters || input == MissingInput::shapes;
    };
    return each || std::ranges::none_of(missing, is_shape);
  }

  // Returns for which runtime the recipes were checked; empty without a runtime or a recipe.
  static std::string runtime_of(const Compilation& compilation, const FileOptions& options,
                                const std::set<MissingInput>& missing, bool has_unknown_values) {
    if (!compilation.dialect || compilation.recipes.empty()) return {};
    const dialect::Dialect* dialect = dialect::find_dialect(*compilation.dialect);
    if (dialect == nullptr) return {};
    const std::string out = dialect::runtime_sentence(options.compile.read, *dialect);
    if (!out.starts_with("checked for")) return out;
    if (has_unknown_values) return out + "; the unknown values were not checked";
    return !has_shapes(compilation, missing)
               ? out + "; the shapes of layers were not checked, because the model is unknown"
               : out;
  }

  void make_report() {
    if (options_.fix && !options_.diff) out_.report.fixed = out_.fixed;
    out_.warnings = project_.unused_patterns(searched_);
    out_.report.known_gone = project_.count_unused_baseline();
    out_.report.files.reserve(out_.compilations.size());
    for (std::size_t at = 0; at < out_.compilations.size(); ++at) {
      Compilation& each = out_.compilations[at];
      std::vector<report::NotChecked> not_checked = not_checked_of(each);
      std::vector<report::NotChecked> values = values_of(each);
      std::string runtime = runtime_of(each, *out_.options[at], out_.missing[at], !values.empty());
      out_.report.files.push_back({each.file.get(), each.dialect, std::move(each.diagnostics), dialects_of(each),
                                   out_.options[at]->fail_on(), std::move(lines_[at]), release_of(each),
                                   std::move(not_checked), std::move(values), std::move(runtime), assumed_of(each)});
      const report::FileReport& file = out_.report.files.back();
      out_.failed |= std::ranges::any_of(file.diagnostics, [&](const auto& finding) { return file.fails(finding); });
    }
  }

  const ValidationOptions& options_;
  Project& project_;
  std::istream& in_;
  std::vector<Input> inputs_;
  std::set<std::string> reported_;
  std::vector<std::string> searched_;  // folders
  std::set<std::filesystem::path> fixed_paths_;
  std::vector<std::vector<report::ModelLine>> lines_;  // of each compilation
  Validation out_;
};

}  // namespace

Validation validate_paths(const ValidationOptions& options, Project& project, std::istream& in) {
  return Validator(options, project, in).run();
}

std::string not_checked(const Validation& validation) {
  std::set<MissingInput> missing;
  for (const auto& each : validation.missing) missing.insert(each.begin(), each.end());
  return text_of(missing);
}

}  // namespace sparsecfg::project
