#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "dialect/dialect.h"
#include "dialect/write.h"

// Combines recipes into one recipe with stages.
namespace sparsecfg::compose {

struct Result {
  std::string text;                   // empty if `problem` is set
  std::vector<std::string> remarks;   // results for single actions
  std::vector<std::string> warnings;  // stages that undo a part of an earlier stage
  std::string problem;                // the reason why `text` is empty
  std::size_t stages = 0;
  std::optional<double> length;       // in epochs; nullopt: not set by the result
  std::optional<Compilation> faults;  // the result, if the framework rejects it
};

// Combines two or more recipes of one dialect with stages, which their framework must accept. The result is read back
// with `reading` and the name of the first recipe. Moves the recipes out of the compilations to save memory.
[[nodiscard]] Result compose(std::span<Compilation* const> recipes, const dialect::Dialect& dialect,
                             const dialect::ComposeOptions& options, const CompileOptions& reading);

// Returns a line for each remark, then "2 recipes in 3 stages; the result trains for 12 epochs".
[[nodiscard]] std::string report_text(const Result& result, std::size_t recipes);

}  // namespace sparsecfg::compose
