#include "compile/compile.h"

#include <fmt/core.h>

#include <algorithm>

#include "compile/model.h"
#include "compile/parts.h"
#include "dialect/dialect.h"

namespace sparsecfg {

std::size_t Compilation::count(diag::Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(diagnostics, severity, &diag::Diagnostic::severity));
}

bool Compilation::runs() const {
  const bool valid = recipe && std::ranges::all_of(recipe->actions, &ir::Action::valid);
  return valid && std::ranges::all_of(diagnostics, [](const diag::Diagnostic& diagnostic) {
           return diagnostic.severity != diag::Severity::error || diagnostic.info->silent_loss;
         });
}

// The options with a limit of the recipe's own, unless the names already have one.
class LimitedOptions {
 public:
  explicit LimitedOptions(const CompileOptions& options) : options_(options) {
    if (options_.limit == nullptr) options_.limit = std::make_shared<model::WorkLimit>();
    limit(options_.parameters, parameters_);
    limit(options_.modules, modules_);
    limit(options_.read.parameters, read_parameters_);
  }

  [[nodiscard]] const CompileOptions& get() const { return options_; }

 private:
  void limit(const model::ModelNames*& names, std::optional<model::ModelNames>& own) {
    if (names != nullptr && names->limit() == nullptr) names = &own.emplace(names->limited_by(options_.limit));
  }

  CompileOptions options_;
  std::optional<model::ModelNames> parameters_;
  std::optional<model::ModelNames> modules_;
  std::optional<model::ModelNames> read_parameters_;
};

// Compiles a file that is one recipe.
static void compile_one(Compilation& out, CompileOptions options) {
  RecipeModel model;
  out.passed = options.passed;
  const bool model_beside = options.model == nullptr && !options.passed;
  FoundModel found = find_model(options, options.passed ? options.passed_in : out.file->name(), options.passed);
  model.model = std::move(found.model);
  model.unknown = std::move(found.unknown);
  out.model = options.model = model.model;
  use_build(options, options.passed);
  const LimitedOptions limited(options);
  const std::optional<outcome::Outcome> outcome = compile_whole(out, limited.get(), model_beside);
  const dialect::Dialect* dialect = out.recipe ? dialect::find_dialect(out.recipe->dialect) : nullptr;
  if (dialect != nullptr && model.model) {
    options.build.parallel = out.parallel;
    use_model(options, *dialect);
    model.effect = effect_of(*out.recipe, outcome ? &*outcome : nullptr, options);
    model.unused = unused_model(*out.recipe, options);
  }
  out.models.push_back(std::move(model));
}

// Returns the release that the project requires, if the options do not name one. The newest known release is the
// default, so that a requirement that allows it decides nothing.
static std::optional<AssumedRelease> assumed_release(const CompileOptions& options) {
  constexpr std::string_view kOption = "llmc";
  const auto& required = options.requirements.llmcompressor;
  const auto known = dialect::reader_options();
  const auto option = std::ranges::find(known, kOption, &dialect::ReaderOption::name);
  if (!required || option == known.end() || options.read.given(*option)) {
    return std::nullopt;
  }
  const auto newest = newest_allowed(*required, option->values);
  const bool decides = newest && (required->is_exact() || *newest != option->values.front());
  return decides ? std::optional(AssumedRelease{std::string(kOption), std::string(*newest), required->text()})
                 : std::nullopt;
}

// Sets the releases that the project requires, and reports them.
static void use_requirements(Compilation& out, CompileOptions& options) {
  options.requirements = requirements_of(*out.file, options.requirements);
  out.release = assumed_release(options);
  if (out.release) dialect::set_reader_option(out.release->option, out.release->value, options.read);
  const auto transformers = required_transformers(options);
  if (!transformers) return;
  options.read.before_transformers_5 = transformers->last < architecture::Version{5, 0};
  const std::string text =
      fmt::format("transformers {}: {}", to_string(*transformers), options.requirements.transformers->text());
  if (out.release) {
    out.release->why += "; " + text;
  } else {
    out.release = {{}, {}, text};
  }
}

Compilation compile(std::string name, source::Loaded text, const CompileOptions& options) {
  Compilation out;
  const auto* failure = std::get_if<source::LoadError>(&text);
  out.file = std::make_unique<source::SourceFile>(
      std::move(name), failure == nullptr ? std::get<std::string>(std::move(text)) : std::string());
  out.file->set_view(options.view);
  out.dialect = options.from;
  // Notebooks are large for their pictures; one that was found by a search need not be a recipe.
  if (failure != nullptr && options.skip_unknown && extension_of(out.file->name()) == "ipynb") {
    out.skipped = true;
    return out;
  }
  if (failure != nullptr) {
    diag::Sink sink;
    sink.report(diag::limits_exceeded, {}, fmt::format("the file is {}", failure->reason))
        .with_help("raise the limit with `--max-size`");
    out.diagnostics = sink.take();
    return out;
  }
  CompileOptions own = options;
  use_requirements(out, own);
  const LimitedOptions limited(own);
  if (!compile_places(out, limited.get())) {
    compile_one(out, std::move(own));
  }
  return out;
}

}  // namespace sparsecfg
