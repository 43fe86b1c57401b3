#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile.h"
#include "dialect/compose.h"
#include "dialect/dialect.h"

// Recipes one after the other as stages of one recipe.
namespace sparsecfg::compose {

struct Result {
  std::string text;                  // empty if there is none
  std::vector<std::string> remarks;  // what became of single actions
  std::string problem;               // why there is no text
  std::size_t stages = 0;
  std::optional<double> length;       // in epochs; nullopt: the result does not say
  std::optional<Compilation> faults;  // the result, if the framework would not run it
};

// The recipes are two or more of one dialect that composes, which their framework runs. `reading` says how the result
// is read again, under the name of the first one. Moves the recipes out of the compilations, so that fewer copies of
// large ones are in memory.
[[nodiscard]] Result compose(std::span<Compilation* const> recipes, const dialect::Dialect& dialect,
                             const dialect::ComposeOptions& options, const CompileOptions& reading);

// "2 recipes in 3 stages: the result trains 12 epochs", for people, after a line for each remark.
[[nodiscard]] std::string report_text(const Result& result, std::size_t recipes);

}  // namespace sparsecfg::compose
