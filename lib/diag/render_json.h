#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace sparsecfg::diag {

// What there is to say about one file.
struct FileReport {
  const source::SourceFile* file;
  std::optional<std::string> dialect;  // nothing where no dialect was found
  std::vector<Diagnostic> diagnostics;
};

// The document of `validate --format json`, format 1, with a line feed at its end. Always valid
// UTF-8: bytes that are none become U+FFFD. A text for the carets is the field `note`, which is
// left out where there is none; so is `fix`, the settled edits of a fix. `fixed` is how many findings
// were fixed, where that was asked for.
[[nodiscard]] std::string render_json(std::span<const FileReport> reports,
                                      std::optional<std::size_t> fixed = std::nullopt);

}  // namespace sparsecfg::diag
