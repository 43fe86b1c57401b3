#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace sparsecfg::diag {

// The rule selection of --select, --ignore and --severity. A rule is named by its code, a prefix of its code (`SP2`,
// `MD`) or its name.
struct Levels {
  std::vector<std::string> select;                           // report only these rules; empty for all
  std::vector<std::string> ignore;                           // report all rules except these
  std::vector<std::pair<std::string, Severity>> severities;  // the last match applies

  // Removes the diagnostics that are not selected and sets the severities of the rest.
  void apply(std::vector<Diagnostic>& diagnostics) const;
};

// Returns true if --fix applies the fix of a diagnostic. Unsafe fixes are applied only if `unsafe` is true.
[[nodiscard]] inline bool is_fixable(const Diagnostic& diagnostic, bool unsafe) {
  return !diagnostic.fix.edits.empty() && (unsafe || diagnostic.fix.kind == Fix::Kind::safe);
}

// Returns true if `text` is a code, a prefix of a code or a name of at least one diagnostic.
[[nodiscard]] bool names_any(std::string_view text);

// Parses "error", "warning" or "info". Returns nullopt for any other text.
[[nodiscard]] std::optional<Severity> read_severity(std::string_view text);

// Removes the diagnostics that suppression comments in the file accept:
//
//     end_epoch: 10.0  # sparsecfg: ignore[SP202] the paper also stops here
//
// A comment applies to its own line or, if it is the only thing on the line, to the next line; `ignore-file[SP202]`
// applies to the file. A comment without a reason, with an unknown code or without effect is SP035. `comments` are all
// comments of the file.
void suppress(std::vector<Diagnostic>& diagnostics, const source::SourceFile& file,
              const std::vector<source::Span>& comments);

}  // namespace sparsecfg::diag
