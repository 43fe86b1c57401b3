#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "ir/recipe.h"
#include "model/model_names.h"
#include "project/project.h"
#include "timeline/overview.h"

// Describes recipes for hovers and inlay hints.
namespace sparsecfg::lsp {

// Evaluated schedule of a recipe.
struct Schedule {
  timeline::Run run;
  timeline::Overview overview;
  std::vector<std::vector<std::size_t>> columns;  // of the overview, by action
};

// Evaluates a recipe. Returns nullopt if the steps per epoch or the length of the run are unknown, if the recipe has no
// timeline, or if it has too many changes.
[[nodiscard]] std::optional<Schedule> schedule_of(const ir::Recipe& recipe, const project::FileOptions& options);

// Returns "last update at epoch 9.5 (step 950), sparsity 0.725", or an empty string without an update.
[[nodiscard]] std::string last_update(const Schedule& schedule, std::size_t action);

// Returns "matches 3 of 10 parameters: `a`, `b`, `c`", or nullopt if the model is unknown.
[[nodiscard]] std::optional<std::string> matches_of(const model::Selector& selector, const model::Term& term,
                                                    const CompileOptions& options);

// Returns "decides 3 of 10 modules: `a`, `b`, `c`; another entry decides 2 more that match" for a rule of an operation
// of a recipe, or nullopt if the model is unknown or too large.
[[nodiscard]] std::optional<std::string> decided_by(const ir::Operation& operation, std::uint32_t rule,
                                                    const ir::Recipe& recipe, const CompileOptions& options);

// Returns the model names that a selector refers to, or null if they are unknown.
[[nodiscard]] const model::ModelNames* names_for(model::Selector::Over over, const CompileOptions& options);

// Returns the pages of a class. There are several if several readers of the dialect have a class with this name.
[[nodiscard]] std::vector<dialect::Page> pages_of_class(const dialect::Dialect& dialect, std::string_view name);

// Writes a value as YAML in one line.
[[nodiscard]] std::string value_text(const source::Value& value);

}  // namespace sparsecfg::lsp
