#pragma once

#include <cstddef>
#include <functional>

#include "compile.h"

// Fixes a recipe as its findings offer.
namespace sparsecfg {

struct FixOptions {
  bool unsafe = false;  // true if fixes that guess what is meant count too
  // Takes away the findings that do not count, whose fixes are not made either.
  std::function<void(std::vector<diag::Diagnostic>&)> filter = [](std::vector<diag::Diagnostic>&) {};
};

struct Fixed {
  Compilation result;        // the recipe after all fixes, its findings not sifted
  std::size_t findings = 0;  // that were fixed
};

// Makes all fixes that do not overlap, reads the text again, and so on until nothing is left to do. A
// fix that would cost the recipe its run, or make it unreadable, is left out. What is not a recipe stays as it is.
[[nodiscard]] Fixed fix(Compilation first, const CompileOptions& options, const FixOptions& fixes);

}  // namespace sparsecfg
