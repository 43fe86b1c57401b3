#include <fmt/format.h>

#include "base/text.h"
#include "report/report.h"

namespace sparsecfg::report {

// Escapes a string for GitHub workflow commands. The value of a property can contain neither `:` nor `,`.
static std::string github_text(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

static std::string_view command_of(diag::Severity severity) {
  switch (severity) {
    case diag::Severity::error: return "error";
    case diag::Severity::warning: return "warning";
    case diag::Severity::info: return "notice";
  }
  return "";
}

// `::error title=sparsecfg SP105,file=recipe.yaml,line=3,endLine=3,col=5,endColumn=9::message%0Ahelp: ...`
static std::string annotation(const source::SourceFile& file, const diag::Diagnostic& diagnostic) {
  const auto start = file.position(diagnostic.span.begin);
  const auto end = file.position(diagnostic.span.end);
  const std::string help = diagnostic.help.empty() ? "" : "\nhelp: " + base::printable(diagnostic.help);
  // GitHub accepts columns only in single-line annotations.
  const std::string columns =
      start.line == end.line ? fmt::format(",col={},endColumn={}", start.column, end.column) : "";
  return fmt::format("::{} title=sparsecfg {},file={},line={},endLine={}{}::{}\n", command_of(diagnostic.severity),
                     diagnostic.info->code, github_text(base::printable(file.name()), true), start.line, end.line,
                     columns, github_text(base::printable(diagnostic.message) + help, false));
}

std::string render_github(const Report& report, const Options&) {
  std::string out;
  for (const FileReport& file : report.files) {
    for (const diag::Diagnostic& diagnostic : file.diagnostics) {
      out += annotation(*file.file, diagnostic);
    }
  }
  for (const Failure& failure : report.failures) {
    out += fmt::format("::error title=sparsecfg,file={}::{}\n", github_text(base::printable(failure.path), true),
                       github_text(base::printable(failure.reason), false));
  }
  return out;
}

}  // namespace sparsecfg::report
