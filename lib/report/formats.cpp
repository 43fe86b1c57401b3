#include <algorithm>

#include "report/report.h"

namespace sparsecfg::report {

constexpr Format kFormats[] = {
    {"text", "for people, with the lines of the recipe", false, render_text},
    {"concise", "one line for each finding: file:line:column: code message", false, render_concise},
    {"json", "one JSON document; `sparsecfg schema report` describes it", true, render_json},
    {"json-lines", "one JSON object in a line for each finding", true, render_json_lines},
    {"github", "annotations of a GitHub workflow", false, render_github},
    {"gitlab", "a code quality report of GitLab", false, render_gitlab},
    {"sarif", "SARIF 2.1.0, for code scanning", false, render_sarif},
    {"junit", "JUnit's XML, for test reports", false, render_junit},
    {"checkstyle", "Checkstyle's XML, for Jenkins and others", false, render_checkstyle},
    {"rdjson", "the diagnostic format of reviewdog", false, render_rdjson},
};

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &Format::name);
  return found == std::end(kFormats) ? nullptr : found;
}

std::size_t Report::count(diag::Severity severity) const {
  std::size_t sum = 0;
  for (const FileReport& file : files) {
    sum += static_cast<std::size_t>(std::ranges::count(file.diagnostics, severity, &diag::Diagnostic::severity));
  }
  return sum;
}

}  // namespace sparsecfg::report
