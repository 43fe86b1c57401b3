#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace sparsecfg::diag {

// Which findings count, and how much: what --select, --ignore and --severity say. A finding is named
// by its code, the beginning of its code (`SP2`, `MD`) or its name.
struct Levels {
  std::vector<std::string> select;                           // these alone; none: all
  std::vector<std::string> ignore;                           // all but these
  std::vector<std::pair<std::string, Severity>> severities;  // the last that fits counts

  // Drops what does not count and changes the severities of the rest.
  void apply(std::vector<Diagnostic>& diagnostics) const;
};

// Returns true if --fix makes the fix of a finding; unsafe ones only on request.
[[nodiscard]] inline bool is_fixable(const Diagnostic& diagnostic, bool unsafe) {
  return !diagnostic.fix.edits.empty() && (unsafe || diagnostic.fix.kind == Fix::Kind::safe);
}

// Returns true if there is a diagnostic of this code, beginning of a code or name.
[[nodiscard]] bool names_any(std::string_view text);

// "error", "warning" or "info".
[[nodiscard]] std::optional<Severity> read_severity(std::string_view text);

// Takes away the findings that comments of the file accept:
//
//     end_epoch: 10.0  # sparsecfg: ignore[SP202] the paper stops here too
//
// in the line that is shown, or alone in a line above it. A comment without a reason, of a code that
// is none, or that accepts nothing is itself a finding (SP035). `comments` are their places in the file.
void suppress(std::vector<Diagnostic>& diagnostics, const source::SourceFile& file,
              const std::vector<source::Span>& comments);

}  // namespace sparsecfg::diag
