#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compile/compile.h"

// Applies the fixes of findings to a recipe.
namespace sparsecfg {

struct FixOptions {
  bool unsafe = false;  // also applies unsafe fixes
  // Removes findings that are not reported. Their fixes are not applied.
  std::function<void(const source::SourceFile&, std::vector<diag::Diagnostic>&)> filter =
      [](const source::SourceFile&, std::vector<diag::Diagnostic>&) {};
};

// A finding that was fixed, and its line at that time.
struct AppliedFix {
  std::uint32_t line;
  const diag::Info* info;
};

struct Fixed {
  Compilation result;               // the recipe after all fixes, with unfiltered findings
  std::vector<AppliedFix> applied;  // in the order of the rounds
};

// Applies all fixes that do not overlap, compiles the result, and repeats this until no fix is left. Skips fixes after
// which the recipe would no longer run or be readable. Does not change files that are not recipes.
[[nodiscard]] Fixed fix(Compilation first, const CompileOptions& options, const FixOptions& fixes);

}  // namespace sparsecfg
