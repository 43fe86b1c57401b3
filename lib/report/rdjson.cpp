#include "diag/links.h"
#include "report/parts.h"

namespace sparsecfg::report {

// reviewdog columns are 1-based and count UTF-8 bytes.
static Json rdjson_position(const source::SourceFile& file, std::uint32_t offset) {
  const std::uint32_t line = file.position(offset).line;
  return {{"line", line}, {"column", offset - file.line_span(line).begin + 1}};
}

static Json rdjson_range(const source::SourceFile& file, source::Span span) {
  return {{"start", rdjson_position(file, span.begin)}, {"end", rdjson_position(file, span.end)}};
}

static std::string_view rdjson_severity(diag::Severity severity) {
  switch (severity) {
    case diag::Severity::error: return "ERROR";
    case diag::Severity::warning: return "WARNING";
    case diag::Severity::info: return "INFO";
  }
  return "";
}

static Json rdjson_finding(const source::SourceFile& file, const diag::Diagnostic& diagnostic,
                           const std::string& docs) {
  Json out{{"message", diagnostic.message + (diagnostic.help.empty() ? "" : "\nhelp: " + diagnostic.help)},
           {"location", {{"path", file.name()}, {"range", rdjson_range(file, diagnostic.span)}}},
           {"severity", rdjson_severity(diagnostic.severity)},
           {"code", {{"value", diagnostic.info->code}}}};
  if (!docs.empty()) out["code"]["url"] = diag::url_of(*diagnostic.info, docs);
  for (const diag::Edit& edit : diagnostic.fix.edits) {
    out["suggestions"].push_back({{"range", rdjson_range(file, edit.span)}, {"text", edit.text}});
  }
  return out;
}

std::string render_rdjson(const Report& report, const Options& options) {
  Json out{{"source", {{"name", "sparsecfg"}}}, {"diagnostics", Json::array()}};
  for (const FileReport& file : report.files) {
    for (const diag::Diagnostic& diagnostic : file.diagnostics) {
      out["diagnostics"].push_back(rdjson_finding(*file.file, diagnostic, options.docs));
    }
  }
  for (const Failure& failure : report.failures) {
    out["diagnostics"].push_back(
        {{"message", failure.reason}, {"location", {{"path", failure.path}}}, {"severity", "ERROR"}});
  }
  return json_text(out);
}

}  // namespace sparsecfg::report
