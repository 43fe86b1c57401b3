#pragma once

#include <string_view>

// Example findings, generated from the golden cases at build time.
namespace sparsecfg::explain {

struct Example {
  std::string_view code;
  std::string_view name;      // of the case: "sparseml/bad-SP205-end-before-start"
  std::string_view finding;   // as printed by `validate`
  std::string_view right;     // the fix, or a valid recipe; may be empty
  bool is_fix;                // true if `right` is the change made by --fix
  bool safe_fix, unsafe_fix;  // true if a finding of the code is fixed by --fix, or with --unsafe-fixes
};

// Returns null for a code without a golden case.
[[nodiscard]] const Example* find_example(std::string_view code);

}  // namespace sparsecfg::explain
