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

// Tests each fix separately: the finding must be gone afterwards, and no new error may be reported. Removes the other
// fixes, and their help lines if these name the value that failed. Stops after a number of tests and bytes that depends
// only on the file; fixes that were not tested are kept. `wanted` selects the findings whose fixes are tested.
void test_fixes(
    Compilation& compilation, const CompileOptions& options,
    const std::function<bool(const diag::Diagnostic&)>& wanted = [](const diag::Diagnostic&) { return true; });

// Applies all fixes that do not overlap, compiles the result, and repeats this until no fix is left. Skips fixes after
// which the recipe would no longer run or be readable. Does not change files that are not recipes.
[[nodiscard]] Fixed fix(Compilation first, const CompileOptions& options, const FixOptions& fixes);

}  // namespace sparsecfg
