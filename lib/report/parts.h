#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

// Parts that several formats share.
namespace sparsecfg::report {

using Json = nlohmann::ordered_json;

// The text of a JSON value, indented by one space per level unless it shall be one line. Always ASCII: control and
// bidirectional characters are escaped as \uXXXX, and bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const Json& json, bool one_line = false);

// The JSON of one finding, the same in `json` and `json-lines`.
// Returns the page of a rule, relative to the root of the documentation: "rules/SP205/".
[[nodiscard]] std::string page_of(const diag::Info& info);

[[nodiscard]] Json finding_json(const source::SourceFile& file, const diag::Diagnostic& diagnostic);

// `text` as an attribute or the content of XML: unsafe characters as \x1b or \u202e, `<` as &lt; and so on.
[[nodiscard]] std::string xml_text(std::string_view text);

// A path as a URI reference: percent-encoded, without a leading `./`, and `file://` before an absolute one.
[[nodiscard]] std::string uri_of(std::string_view path);

// For each finding of a file 16 hexadecimal digits made from its code, the text of its line and how many of the same
// come before it in the file: they stay the same when lines above are added or removed.
[[nodiscard]] std::vector<std::string> fingerprints_of(const FileReport& file);

}  // namespace sparsecfg::report
