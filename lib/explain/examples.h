#pragma once

#include <string_view>

// Examples of findings, made from the golden cases when the program is built.
namespace sparsecfg::explain {

struct Example {
  std::string_view code;
  std::string_view name;      // of the case: "sparseml/bad-SP205-end-before-start"
  std::string_view finding;   // as `validate` prints it
  std::string_view right;     // what to write instead, or a recipe that is accepted; may be empty
  bool is_fix;                // true if `right` is the change that --fix makes
  bool safe_fix, unsafe_fix;  // true if some finding of the code is fixed by --fix, or with --unsafe-fixes
};

// Returns null for a code that no golden case shows.
[[nodiscard]] const Example* find_example(std::string_view code);

}  // namespace sparsecfg::explain
