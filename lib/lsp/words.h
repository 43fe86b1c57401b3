#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "ir/model_names.h"
#include "ir/recipe.h"
#include "project/project.h"
#include "timeline/overview.h"

// What the server says of a recipe, in words.
namespace sparsecfg::lsp {

// "epochs 0.0 to 10.0, every 0.5: from 0.05 to 0.8, fast at first"
[[nodiscard]] std::string describe(const ir::Action& action);

// The figures of the whole run; nullopt if the steps of an epoch or the length of the run are unknown, or if nothing
// can be computed step by step.
struct Course {
  timeline::Run run;
  timeline::Overview overview;
};

[[nodiscard]] std::optional<Course> course_of(const ir::Recipe& recipe, const project::FileOptions& options);

// "last update at epoch 9.5 (step 950), at a sparsity of 0.7250"; empty if the action was never updated.
[[nodiscard]] std::string last_update(const Course& course, std::size_t action);

// "matches 3 of the model's 10 names: `a`, `b`, `c`"; nullopt if the names are not known.
[[nodiscard]] std::optional<std::string> matches_of(const ir::Selector& selector, const ir::Term& term,
                                                    const CompileOptions& options);

// The names that a selector is about; null if they are not known.
[[nodiscard]] const ir::ModelNames* names_for(ir::Selector::Over over, const CompileOptions& options);

// The pages of a class of a dialect: several if several of its readers have a class of this name.
[[nodiscard]] std::vector<dialect::Page> pages_of_class(const dialect::Dialect& dialect, std::string_view name);

// A value as YAML in one line.
[[nodiscard]] std::string value_text(const source::Value& value);

}  // namespace sparsecfg::lsp
