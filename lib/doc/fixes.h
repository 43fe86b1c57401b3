#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "doc/document.h"
#include "doc/language.h"
#include "source/source_file.h"

namespace sparsecfg::doc {

// Converts the fixes of findings to text replacements, in source order, and their help lines to the language of the
// file. `document` is null if the text could not be read. Drops a fix that can't be applied: the removed part is the
// only item of its list, shares its line with other text, or has an anchor. Makes a fix unsafe if it changes a node
// that an alias refers to.
void resolve_fixes(const source::SourceFile& file, const Document* document, std::vector<diag::Diagnostic>& diagnostics,
                   Language language = Language::yaml);

// Returns the language of the values in a file, by its name and its document.
[[nodiscard]] Language language_of(const source::SourceFile& file, const Document* document);

// Returns the source text for a new content of a scalar. Keeps the quotes; an unquoted scalar stays unquoted if the
// content permits it. Returns nullopt for block scalars, aliases and contents that would not be read back unchanged.
[[nodiscard]] std::optional<std::string> rewrite_scalar(std::string_view written, std::string_view content,
                                                        bool script);

// Returns the scalar as a list with one item: `['conv.weight']`.
[[nodiscard]] std::optional<std::string> list_of_scalar(std::string_view written);

// Rewrites a string that Python's float() accepts so that YAML 1.1 reads a float: `1e-4` becomes `1.0e-4`. Returns
// nullopt for `inf`, `1_0e5` and similar strings.
[[nodiscard]] std::optional<std::string> spelled_as_float(std::string_view text);

// Like spelled_as_float(), but an int stays an int.
[[nodiscard]] std::optional<std::string> spelled_as_number(std::string_view text);

// Returns the number that `80%`, a fraction such as `4/5` or a decimal comma such as `0,8` is intended to mean: 0.8.
[[nodiscard]] std::optional<double> number_meant_by(std::string_view text);

}  // namespace sparsecfg::doc
