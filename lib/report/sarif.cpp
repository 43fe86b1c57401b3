#include <map>

#include "base/text.h"
#include "base/version.h"
#include "diag/catalog.h"
#include "report/parts.h"

namespace sparsecfg::report {

// Maps each code to the index of its rule in the run.
using RuleIndex = std::map<std::string_view, std::size_t>;

static std::string_view sarif_level(diag::Severity severity) {
  return severity == diag::Severity::info ? "note" : to_string(severity);
}

static std::string first_sentence(std::string_view text) {
  const std::size_t end = text.find(". ");
  return std::string(text.substr(0, end == std::string_view::npos ? end : end + 1));
}

static Json sarif_rule(const diag::Info& info, const std::string& docs) {
  Json out{{"id", info.code},
           {"name", info.name},
           {"shortDescription", {{"text", first_sentence(info.explanation)}}},
           {"fullDescription", {{"text", info.explanation}}},
           {"help", {{"text", info.explanation}}},
           {"defaultConfiguration", {{"level", sarif_level(info.severity)}}}};
  if (!docs.empty()) out["helpUri"] = diag::url_of(info, docs);
  return out;
}

static Json sarif_region(const source::SourceFile& file, source::Span span) {
  const auto start = file.position(span.begin);
  const auto end = file.position(span.end);
  return {{"startLine", start.line}, {"startColumn", start.column}, {"endLine", end.line}, {"endColumn", end.column}};
}

static Json sarif_location(const source::SourceFile& file, source::Span span) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", base::uri_of(file.name())}}}, {"region", sarif_region(file, span)}}}};
}

static Json sarif_fix(const source::SourceFile& file, const diag::Diagnostic& diagnostic) {
  Json replacements = Json::array();
  for (const diag::Edit& edit : diagnostic.fix.edits) {
    replacements.push_back(
        {{"deletedRegion", sarif_region(file, edit.span)}, {"insertedContent", {{"text", edit.text}}}});
  }
  const Json change{{"artifactLocation", {{"uri", base::uri_of(file.name())}}},
                    {"replacements", std::move(replacements)}};
  return {{"description", {{"text", diagnostic.help.empty() ? "fix" : diagnostic.help}}},
          {"artifactChanges", Json::array({change})}};
}

static Json sarif_result(const source::SourceFile& file, const diag::Diagnostic& diagnostic,
                         const std::string& fingerprint, RuleIndex& rules) {
  const std::string help = diagnostic.help.empty() ? "" : "\nhelp: " + diagnostic.help;
  Json place = sarif_location(file, diagnostic.span);
  if (!diagnostic.caret.empty()) place["message"] = {{"text", diagnostic.caret}};
  Json out{{"ruleId", diagnostic.info->code},
           {"ruleIndex", rules.try_emplace(diagnostic.info->code, rules.size()).first->second},
           {"level", sarif_level(diagnostic.severity)},
           {"message", {{"text", diagnostic.message + help}}},
           {"locations", Json::array({std::move(place)})},
           {"partialFingerprints", {{"sparsecfg/v1", fingerprint}}}};
  for (const diag::Label& label : diagnostic.labels) {
    Json location = sarif_location(file, label.span);
    location["message"] = {{"text", label.text}};
    out["relatedLocations"].push_back(std::move(location));
  }
  if (!diagnostic.fix.edits.empty()) {
    out["fixes"] = Json::array({sarif_fix(file, diagnostic)});
  }
  return out;
}

static Json sarif_results(const Report& report, RuleIndex& rules) {
  Json out = Json::array();
  for (const FileReport& file : report.files) {
    const std::vector<std::string> fingerprints = fingerprints_of(file);
    for (std::size_t at = 0; at < file.diagnostics.size(); ++at) {
      out.push_back(sarif_result(*file.file, file.diagnostics[at], fingerprints[at], rules));
    }
  }
  return out;
}

// Returns the rules of the reported codes, in the order of `rules`.
static Json sarif_rules(const RuleIndex& rules, const std::string& docs) {
  std::vector<Json> out(rules.size());
  for (const auto& [code, index] : rules) {
    out[index] = sarif_rule(*diag::find(code), docs);
  }
  return out;
}

static Json sarif_invocation(const Report& report) {
  Json out{{"executionSuccessful", report.failures.empty()}};
  for (const Failure& failure : report.failures) {
    const Json location{{"physicalLocation", {{"artifactLocation", {{"uri", base::uri_of(failure.path)}}}}}};
    out["toolExecutionNotifications"].push_back(
        {{"level", "error"}, {"message", {{"text", failure.reason}}}, {"locations", Json::array({location})}});
  }
  return out;
}

std::string render_sarif(const Report& report, const Options& options) {
  RuleIndex rules;
  Json results = sarif_results(report, rules);
  Json driver{{"name", "sparsecfg"}, {"version", base::version()}, {"semanticVersion", base::version()}};
  driver["rules"] = sarif_rules(rules, options.docs);
  const Json run{{"tool", {{"driver", std::move(driver)}}},
                 {"columnKind", "unicodeCodePoints"},
                 {"invocations", Json::array({sarif_invocation(report)})},
                 {"results", std::move(results)}};
  return json_text({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}});
}

}  // namespace sparsecfg::report
