#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "doc/document.h"
#include "source/source_file.h"

namespace sparsecfg::doc {

// Makes plain replacements of what the fixes of findings ask for, in the order of the text. `document`
// is null where the text could not be read. A fix that the text has no place for goes: what should be
// removed is the only item of its list, shares its line with something else, or carries an anchor. One
// that changes what an alias stands for changes more than was looked at, so it is unsafe.
void resolve_fixes(const source::SourceFile& file, const Document* document,
                   std::vector<diag::Diagnostic>& diagnostics);

// Another content for a scalar as it is written in a file, quotes and all: in the same quotes, or
// without any where it has none and needs none. Nothing for block texts, aliases and what neither
// YAML nor a script reads back as it is.
[[nodiscard]] std::optional<std::string> rewrite_scalar(std::string_view written, std::string_view content,
                                                        bool script);

// A scalar as the only item of a list: `['conv.weight']`.
[[nodiscard]] std::optional<std::string> list_of_scalar(std::string_view written);

// A text that Python's float() reads, spelled so that YAML 1.1 reads a float too: `1e-4` becomes
// `1.0e-4`. Nothing for `inf`, `1_0e5` and the like.
[[nodiscard]] std::optional<std::string> spelled_as_float(std::string_view text);

// The same, but an int stays one.
[[nodiscard]] std::optional<std::string> spelled_as_number(std::string_view text);

// Returns the number that a person writes as `80%` (0.8) or with a decimal comma, `0,8` (0.8).
[[nodiscard]] std::optional<double> number_meant_by(std::string_view text);

}  // namespace sparsecfg::doc
