#include "base/text.h"
#include "base/version.h"
#include "diag/catalog.h"
#include "lsp/features.h"
#include "project/settings.h"

namespace sparsecfg::lsp {

using diag::Diagnostic;

// Converts a severity to that of the protocol. Info findings become hints, the least prominent level, because
// `validate` shows them only on request.
static int severity_of(diag::Severity severity) {
  switch (severity) {
    case diag::Severity::error: return 1;
    case diag::Severity::warning: return 2;
    case diag::Severity::info: return 4;
  }
  return 1;
}

static std::string message_of(const Diagnostic& finding) {
  std::string out = finding.message;
  if (!finding.caret.empty()) out += "\n" + finding.caret;
  return finding.help.empty() ? out : out + "\nhelp: " + finding.help;
}

// Returns the tag of the protocol that shows a place as unused (1) or deprecated (2), or 0.
static int tag_of(const diag::Info& info) {
  constexpr std::string_view kUnused[] = {"SP113", "SP210", "SP309", "SP511", "SP811",
                                          "SP907", "LC106", "LC206", "DP910"};
  constexpr std::string_view kRenamed[] = {"SP813", "LC114", "LC402", "LC701"};
  if (base::contains(kUnused, info.code)) return 1;
  return info.code.starts_with("DP") || base::contains(kRenamed, info.code) ? 2 : 0;
}

static Json related_of(const Diagnostic& finding, const Document& document) {
  Json out = Json::array();
  for (const diag::Label& label : finding.labels) {
    out.push_back({{"location", {{"uri", document.uri()}, {"range", to_json(document.text().range(label.span))}}},
                   {"message", label.text}});
  }
  return out;
}

// Returns the part of a span in its first line. A finding about a large part of a file would underline all of it.
static source::Span first_line_of(source::Span span, const Document& document) {
  const source::Span line = document.text().line(document.text().line_of(span.begin));
  return {span.begin, std::max(span.begin, std::min(span.end, line.end))};
}

// Findings about the whole file are shown in the first line.
Json finding_json(const Diagnostic& finding, const Document& document) {
  const source::Span span = finding.span.end == 0 ? document.text().line(0) : first_line_of(finding.span, document);
  Json out = {{"range", to_json(document.text().range(span))},
              {"severity", severity_of(finding.severity)},
              {"code", finding.info->code},
              {"source", "sparsecfg"},
              {"message", message_of(finding)}};
  if (const std::string url = diag::url_of(*finding.info, base::docs_address()); !url.empty()) {
    out["codeDescription"] = {{"href", url}};
  }
  if (const int tag = tag_of(*finding.info); tag != 0) out["tags"] = {tag};
  if (!finding.labels.empty()) out["relatedInformation"] = related_of(finding, document);
  return out;
}

static Json problem_json(std::string message, source::Span span, const Document& document) {
  return {{"range", to_json(document.text().range(span))},
          {"severity", 1},
          {"source", "sparsecfg"},
          {"message", std::move(message)}};
}

static Json settings_findings(const Document& document) {
  const auto read = project::read_settings(document.path(), document.text().bytes());
  const auto* error = std::get_if<project::SettingsError>(&read);
  if (error == nullptr) {
    return Json::array();
  }
  Json out = Json::array();
  for (const project::SettingsFinding& finding : error->findings) {
    out.push_back(problem_json(finding.message, finding.span, document));
  }
  // An error in an extended file cannot be shown in this document.
  if (error->path != document.path()) {
    out = Json::array({problem_json(error->path + ": " + error->reason, document.text().line(0), document)});
  }
  return out;
}

static Json recipe_findings(Workspace& workspace, const Document& document) {
  Json out = Json::array();
  const auto problem = workspace.problem_of(document);
  if (problem && document.is_current()) {
    out.push_back(problem_json(problem->what + ": " + problem->why, document.text().line(0), document));
  }
  for (const Diagnostic& finding : workspace.findings_of(document)) {
    out.push_back(finding_json(finding, document));
  }
  return out;
}

Json diagnostics(Workspace& workspace, const std::string& uri) {
  Json out = {{"uri", uri}, {"diagnostics", Json::array()}};
  if (!workspace.is_open(uri)) {
    return out;
  }
  const Document& document = workspace.document(uri);
  if (document.version) out["version"] = *document.version;
  out["diagnostics"] =
      is_settings(document.path()) ? settings_findings(document) : recipe_findings(workspace, document);
  return out;
}

Json pulled_diagnostics(Workspace& workspace, const Json& params) {
  const auto uri = params.at("textDocument").at("uri").get<std::string>();
  (void)workspace.document(uri);  // throws if the document is not open
  return {{"kind", "full"}, {"items", diagnostics(workspace, uri).at("diagnostics")}};
}

}  // namespace sparsecfg::lsp
