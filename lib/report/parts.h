#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

// Functions that several formats share.
namespace sparsecfg::report {

using Json = nlohmann::ordered_json;

// Serializes a JSON value, on one line or indented by one space per level. The output is ASCII: control and
// bidirectional characters are escaped as \uXXXX, and bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const Json& json, bool one_line = false);

// Returns one finding as JSON, identical in `json` and `json-lines`. `docs` is Options::docs.
[[nodiscard]] Json finding_json(const source::SourceFile& file, const diag::Diagnostic& diagnostic,
                                std::string_view docs);

// Escapes `text` for an XML attribute or element: control characters as \x1b or \u202e, `<` as &lt; and so on.
[[nodiscard]] std::string xml_text(std::string_view text);

// Returns a fingerprint of 16 hexadecimal digits for each finding of a file. It is a hash of the code, the text of the
// line and the number of equal findings before it, so it does not change when lines above are added or removed.
[[nodiscard]] std::vector<std::string> fingerprints_of(const source::SourceFile& file,
                                                       std::span<const diag::Diagnostic> diagnostics);

[[nodiscard]] inline std::vector<std::string> fingerprints_of(const FileReport& file) {
  return fingerprints_of(*file.file, file.diagnostics);
}

}  // namespace sparsecfg::report
