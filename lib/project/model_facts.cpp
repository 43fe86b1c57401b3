#include "project/model_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "architecture/user_model.h"
#include "base/text.h"
#include "compile/model.h"
#include "dialect/dialect.h"
#include "dialect/runtime_option.h"

namespace sparsecfg::project {

// Returns why a model is unknown. A runtime needs a model.
static std::string unknown_model(const RecipeModel& found, const FileOptions& options) {
  const bool needs_model = !dialect::runtime_name(options.compile.read).empty();
  return found.unknown.empty() && needs_model ? "no model is named" : found.unknown;
}

static std::string title_of_build(const RecipeModel& found, const dialect::Dialect& dialect, const FileOptions& options,
                                  const std::optional<ir::CallModel>& passed) {
  CompileOptions own = options.compile;
  own.model = found.model;
  use_build(own, passed);
  return title_of(own, dialect);
}

// Returns the model of a recipe, or the reason why it is unknown. Lists of the older options are only mentioned if
// modules are inferred from them. `passed`: that a call passes.
static std::string text_of(const RecipeModel& found, std::string_view dialect_name, const FileOptions& options,
                           const std::optional<ir::CallModel>& passed) {
  const architecture::UserModel* model = found.model.get();
  const dialect::Dialect* dialect = dialect::find_dialect(dialect_name);
  if (model == nullptr) {
    return dialect != nullptr && infers_modules(*dialect) ? base::printable(unknown_model(found, options))
                                                          : std::string();
  }
  if (!model->rejection().empty()) {
    return fmt::format("{} {}; checked without a model", model->title(), base::printable(model->rejection()));
  }
  const bool listed = model->derived() == nullptr && options.settings.model.empty();
  if (!found.unused.empty()) {
    const bool searched = options.compile.model == nullptr && (!passed || passed->id.empty());
    return searched || listed ? std::string() : fmt::format("{}; {}", model->title(), found.unused);
  }
  const bool inferred = options.settings.modules.empty() && dialect != nullptr && infers_modules(*dialect);
  if (listed && !inferred) return {};
  return dialect == nullptr ? model->title() : title_of_build(found, *dialect, options, passed);
}

// Returns the models of the recipes of a file. Recipes with the same model and effect share a line.
static std::vector<report::ModelLine> models_of(const Compilation& compilation, const FileOptions& options) {
  std::vector<report::ModelLine> out;
  for (std::size_t at = 0; at < compilation.models.size(); ++at) {
    const RecipeModel& found = compilation.models[at];
    const bool listed = at < compilation.recipes.size();
    if (!listed && !compilation.recipe && compilation.recipes.empty()) continue;
    const std::string dialect = listed ? compilation.recipes[at].dialect : compilation.dialect.value_or("");
    const std::optional<ir::CallModel> passed = listed ? compilation.recipes[at].model : std::nullopt;
    report::ModelLine line{{}, text_of(found, dialect, options, passed), found.effect, found.model == nullptr};
    if (line.model.empty()) continue;
    const auto same = std::ranges::find_if(out, [&](const auto& each) { return each.is_same(line); });
    report::ModelLine& kept = same == out.end() ? out.emplace_back(std::move(line)) : *same;
    if (compilation.recipes.size() > 1) kept.recipes.push_back({at + 1, compilation.recipes[at].lines.first});
  }
  return out;
}

// Returns the options with the names of a model that a compilation has found.
static CompileOptions names_of(const Compilation& compilation, CompileOptions options) {
  use_model_of(compilation, options);
  return options;
}

// Returns what is missing of the model.
static std::optional<MissingInput> missing_names(const Compilation& compilation, bool by_modules,
                                                 const CompileOptions& options) {
  const CompileOptions used = names_of(compilation, options);
  const model::ModelNames* names = by_modules ? used.modules : used.parameters;
  if (names == nullptr) {
    return by_modules ? MissingInput::modules : MissingInput::parameters;
  }
  return names->has_shapes() ? std::nullopt : std::optional(MissingInput::shapes);
}

static std::set<MissingInput> missing_of(const Compilation& compilation, const CompileOptions& options) {
  std::set<MissingInput> out;
  const dialect::Dialect* dialect = compilation.dialect ? dialect::find_dialect(*compilation.dialect) : nullptr;
  if (const auto names = missing_names(compilation, dialect != nullptr && dialect->modules, options))
    out.insert(*names);
  if (dialect != nullptr && !dialect->trains) {
    return out;  // one-shot recipes have neither steps nor epochs
  }
  if (!options.read.steps_per_epoch) out.insert(MissingInput::steps);
  if (!options.read.epochs) out.insert(MissingInput::epochs);
  return out;
}

ModelFacts facts_of(const Compilation& compilation, const FileOptions& options) {
  return {models_of(compilation, options), missing_of(compilation, options.compile)};
}

static std::string_view text_of(MissingInput missing) {
  switch (missing) {
    case MissingInput::modules: return "matches of module selectors (--model)";
    case MissingInput::parameters: return "matches of parameter selectors (--model)";
    case MissingInput::shapes: return "shape requirements (the model file lacks shapes)";
    case MissingInput::steps: return "step-dependent rules (--steps-per-epoch)";
    case MissingInput::epochs: return "training lengths other than that of the recipe (--epochs)";
  }
  return {};
}

std::string text_of(const std::set<MissingInput>& missing) {
  std::vector<std::string_view> texts;
  for (const MissingInput each : missing) texts.push_back(text_of(each));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace sparsecfg::project
