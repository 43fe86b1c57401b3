#pragma once

#include <string>
#include <string_view>

#include "diag/catalog.h"

// Parts of the pages of rules.
namespace sparsecfg::explain {

// Returns a scale of epochs with one bar per line, or an empty string for a rule without a drawing.
[[nodiscard]] std::string drawing_of(std::string_view code);

// A golden case that shows a rule, embedded at build time. `{dir}` in options is the folder of a dialect in testdata.
struct Example {
  std::string_view code;
  std::string_view name;           // of the case: "validate/sparseml/epochs/bad-SP205-end-before-start"
  std::string_view options;        // of the command that reports the finding
  std::string_view finding;        // as printed by the command
  std::string_view fix;            // the changes by --fix that remove the finding; may be empty
  std::string_view valid_name;     // the near miss that is shown as a valid example, if there is no fix
  std::string_view valid_options;  // options with which it is valid
  std::string_view valid;          // its text; may be empty
  bool safe_fix, unsafe_fix;       // true if a finding of the code is fixed by --fix, or with --unsafe-fixes
};

// Returns null for a code without a golden case.
[[nodiscard]] const Example* find_example(std::string_view code);

// The rows of docs/semantics/rules.tsv: a code, a tab, and statements separated by spaces.
extern const std::string_view kStatementsOfRules;

// Returns where the statements of a rule about its framework can be read, separated by ", ". Empty if there are none.
[[nodiscard]] std::string statements_of(std::string_view code);

// Escapes the characters that Markdown would interpret, except in code spans.
[[nodiscard]] std::string markdown_text(std::string_view text);

// Returns a catalog text with "..." in place of each argument.
[[nodiscard]] std::string without_arguments(std::string_view text);

// Returns the message, or the first sentence of the explanation if the message consists mainly of arguments.
[[nodiscard]] std::string summary_of(const diag::Info& info);

// Returns "safe", "unsafe", "safe or unsafe" or "none".
[[nodiscard]] std::string_view autofix_of(std::string_view code);

}  // namespace sparsecfg::explain
