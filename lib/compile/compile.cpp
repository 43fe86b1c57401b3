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

// Finds the model of a recipe if the options do not name it. The recipes in a script may have another dialect than the
// expected one, whose names are used.
static void find_model(CompileOptions& options, const source::SourceFile& file) {
  const bool script = extension_of(file.name()) == "py";
  std::shared_ptr<const architecture::UserModel>& model = options.model;
  if (model == nullptr && options.find_model && options.modules == nullptr && options.parameters == nullptr) {
    for (const std::string& reference : script ? models_in_script(file.text()) : std::vector<std::string>()) {
      if (model == nullptr) model = options.find_model(file.name(), reference);
    }
    if (model == nullptr) model = options.find_model(file.name(), "");
  }
  if (script || extension_of(file.name()) == "ipynb") use_model(options, *dialect::find_dialect("llm-compressor"));
}

static void add_effect(Compilation& out, CompileOptions options) {
  const dialect::Dialect* dialect = out.recipe ? dialect::find_dialect(out.recipe->dialect) : nullptr;
  if (dialect == nullptr || !out.model) {
    return;
  }
  use_model(options, *dialect);
  out.effect = effect_of(*out.recipe, options);
}

Compilation compile(std::string name, source::Loaded text, const CompileOptions& options) {
  Compilation out;
  const auto* failure = std::get_if<source::LoadError>(&text);
  out.file = std::make_unique<source::SourceFile>(
      std::move(name), failure == nullptr ? std::get<std::string>(std::move(text)) : std::string());
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
  CompileOptions with_model = options;
  find_model(with_model, *out.file);
  out.model = with_model.model;
  const LimitedOptions limited(with_model);
  if (!compile_places(out, limited.get())) {
    compile_whole(out, limited.get());
  }
  add_effect(out, std::move(with_model));
  return out;
}

}  // namespace sparsecfg
