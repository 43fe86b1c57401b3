#pragma once

#include <cstddef>
#include <functional>

#include "compile.h"

// Applies the fixes of findings to a recipe.
namespace sparsecfg {

struct FixOptions {
  bool unsafe = false;  // also applies unsafe fixes
  // Removes findings that are not reported. Their fixes are not applied.
  std::function<void(std::vector<diag::Diagnostic>&)> filter = [](std::vector<diag::Diagnostic>&) {};
};

struct Fixed {
  Compilation result;        // the recipe after all fixes, with unfiltered findings
  std::size_t findings = 0;  // number of fixed findings
};

// Applies all fixes that do not overlap, compiles the result, and repeats this until no fix is left. Skips fixes after
// which the recipe would no longer run or be readable. Does not change files that are not recipes.
[[nodiscard]] Fixed fix(Compilation first, const CompileOptions& options, const FixOptions& fixes);

}  // namespace sparsecfg
