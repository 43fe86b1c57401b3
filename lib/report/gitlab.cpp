#include <fmt/format.h>

#include "report/parts.h"

namespace sparsecfg::report {

static std::string_view gitlab_severity(diag::Severity severity) {
  switch (severity) {
    case diag::Severity::error: return "major";
    case diag::Severity::warning: return "minor";
    case diag::Severity::info: return "info";
  }
  return "";
}

// GitLab requires fingerprints that are unique in the report, so they include the path.
static Json gitlab_finding(const source::SourceFile& file, const diag::Diagnostic& diagnostic,
                           const std::string& fingerprint) {
  const auto begin = file.position(diagnostic.span.begin);
  const auto end = file.position(diagnostic.span.end);
  return {{"description", diagnostic.message},
          {"check_name", diagnostic.info->code},
          {"fingerprint", fmt::format("{}:{}", uri_of(file.name()), fingerprint)},
          {"severity", gitlab_severity(diagnostic.severity)},
          {"location",
           {{"path", file.name().starts_with("./") ? file.name().substr(2) : file.name()},
            {"lines", {{"begin", begin.line}, {"end", end.line}}}}}};
}

std::string render_gitlab(const Report& report, const Options&) {
  Json out = Json::array();
  for (const FileReport& file : report.files) {
    const std::vector<std::string> fingerprints = fingerprints_of(file);
    for (std::size_t at = 0; at < file.diagnostics.size(); ++at) {
      out.push_back(gitlab_finding(*file.file, file.diagnostics[at], fingerprints[at]));
    }
  }
  return json_text(out);
}

}  // namespace sparsecfg::report
