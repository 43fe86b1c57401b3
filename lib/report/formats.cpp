#include <algorithm>

#include "report/report.h"

namespace sparsecfg::report {

constexpr Format kFormats[] = {
    {"text", "human-readable, with source lines", false, render_text},
    {"concise", "one line per finding: file:line:column: severity: message [code name]", false, render_concise},
    {"agent", "compact blocks for coding agents: cause, help, and the edit as a diff", false, render_agent},
    {"json", "one JSON document, described by `sparsecfg schema report`", true, render_json},
    {"json-lines", "one JSON object per finding, one per line", true, render_json_lines},
    {"github", "GitHub workflow annotations", false, render_github},
    {"gitlab", "GitLab code quality report", false, render_gitlab},
    {"sarif", "SARIF 2.1.0 for code scanning", false, render_sarif},
    {"junit", "JUnit XML for test reports", false, render_junit},
    {"checkstyle", "Checkstyle XML for Jenkins and other tools", false, render_checkstyle},
    {"rdjson", "reviewdog diagnostic format", false, render_rdjson},
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

std::size_t Report::count_skipped() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(skipped, [](const Skipped& each) { return !each.is_folder(); }));
}

std::size_t Report::count_values() const {
  std::size_t sum = 0;
  for (const FileReport& file : files) sum += file.values.size();
  return sum;
}

std::size_t Report::count_not_checked() const {
  std::size_t sum = 0;
  for (const FileReport& file : files) sum += file.not_checked.size();
  return sum;
}

}  // namespace sparsecfg::report
