#include "diag/render_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sparsecfg::diag {

using Json = nlohmann::ordered_json;

static Json place(const source::SourceFile& file, std::uint32_t offset) {
  const auto [line, column] = file.position(offset);
  return {{"line", line}, {"column", column}, {"byte", offset}};
}

static Json place(const source::SourceFile& file, source::Span span) {
  return {{"start", place(file, span.begin)}, {"end", place(file, span.end)}};
}

static Json describe(const source::SourceFile& file, const Fix& fix) {
  Json out{{"applicability", fix.kind == Fix::Kind::safe ? "safe" : "unsafe"}, {"edits", Json::array()}};
  for (const Edit& edit : fix.edits) {
    out["edits"].push_back({{"span", place(file, edit.span)}, {"text", edit.text}});
  }
  return out;
}

static Json describe(const source::SourceFile& file, const Diagnostic& diagnostic) {
  Json out;
  out["code"] = diagnostic.info->code;
  out["name"] = diagnostic.info->name;
  out["severity"] = to_string(diagnostic.severity);
  out["message"] = diagnostic.message;
  out["help"] = diagnostic.help;
  out["span"] = place(file, diagnostic.span);
  out["labels"] = Json::array();
  for (const Label& label : diagnostic.labels) {
    out["labels"].push_back({{"span", place(file, label.span)}, {"text", label.text}});
  }
  if (!diagnostic.caret.empty()) {
    out["note"] = diagnostic.caret;
  }
  if (!diagnostic.fix.edits.empty()) {
    out["fix"] = describe(file, diagnostic.fix);
  }
  return out;
}

static Json describe(const FileReport& report) {
  Json out{{"path", report.file->name()}, {"dialect", nullptr}, {"diagnostics", Json::array()}};
  if (report.dialect) {
    out["dialect"] = *report.dialect;
  }
  for (const Diagnostic& diagnostic : report.diagnostics) {
    out["diagnostics"].push_back(describe(*report.file, diagnostic));
  }
  return out;
}

static std::size_t count(std::span<const FileReport> reports, Severity severity) {
  std::size_t sum = 0;
  for (const FileReport& report : reports) {
    sum += static_cast<std::size_t>(std::ranges::count(report.diagnostics, severity, &Diagnostic::severity));
  }
  return sum;
}

std::string render_json(std::span<const FileReport> reports, std::optional<std::size_t> fixed) {
  Json out{{"format", 1},
           {"summary",
            {{"files", reports.size()},
             {"errors", count(reports, Severity::error)},
             {"warnings", count(reports, Severity::warning)}}},
           {"files", Json::array()}};
  if (fixed) {
    out["summary"]["fixed"] = *fixed;
  }
  for (const FileReport& report : reports) {
    out["files"].push_back(describe(report));
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace sparsecfg::diag
