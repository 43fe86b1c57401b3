#include <fmt/format.h>

#include "base/text.h"
#include "diag/catalog.h"
#include "report/parts.h"
#include "report/report.h"

namespace sparsecfg::report {

// Names of the severities in a format.
struct SeverityNames {
  std::string_view error;
  std::string_view warning;
  std::string_view info;

  [[nodiscard]] std::string_view of(diag::Severity severity) const {
    switch (severity) {
      case diag::Severity::error: return error;
      case diag::Severity::warning: return warning;
      case diag::Severity::info: return info;
    }
    return "";
  }
};

constexpr SeverityNames kGithub{"error", "warning", "notice"};
constexpr SeverityNames kGitlab{"major", "minor", "info"};
constexpr SeverityNames kRdjson{"ERROR", "WARNING", "INFO"};

// Escapes a string for GitHub workflow commands. The value of a property can contain neither `:` nor `,`.
static std::string github_text(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

// Returns the message with the text under the carets, such as the place in a module that a script imports, and the
// help.
static std::string text_of(const diag::Diagnostic& diagnostic) {
  std::string out = base::printable(diagnostic.message);
  if (!diagnostic.caret.empty()) out += fmt::format(" ({})", base::printable(diagnostic.caret));
  return diagnostic.help.empty() ? out : out + "\nhelp: " + base::printable(diagnostic.help);
}

// `::error title=sparsecfg SP105,file=recipe.yaml,line=3,endLine=3,col=5,endColumn=9::message%0Ahelp: ...`
static std::string annotation(const source::SourceFile& file, const diag::Diagnostic& diagnostic) {
  const auto start = file.position(diagnostic.span.begin);
  const auto end = file.position(diagnostic.span.end);
  // GitHub accepts columns only in single-line annotations.
  const std::string columns =
      start.line == end.line ? fmt::format(",col={},endColumn={}", start.column, end.column) : "";
  return fmt::format("::{} title=sparsecfg {},file={},line={},endLine={}{}::{}\n", kGithub.of(diagnostic.severity),
                     diagnostic.info->code, github_text(base::printable(file.name()), true), start.line, end.line,
                     columns, github_text(text_of(diagnostic), false));
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

// GitLab requires fingerprints that are unique in the report, so they include the path.
static Json gitlab_finding(const source::SourceFile& file, const diag::Diagnostic& diagnostic,
                           const std::string& fingerprint) {
  const auto begin = file.position(diagnostic.span.begin);
  const auto end = file.position(diagnostic.span.end);
  return {{"description", diagnostic.message},
          {"check_name", diagnostic.info->code},
          {"fingerprint", fmt::format("{}:{}", base::uri_of(file.name()), fingerprint)},
          {"severity", kGitlab.of(diagnostic.severity)},
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

static std::string checkstyle_error(const source::SourceFile& file, const diag::Diagnostic& diagnostic) {
  const auto [line, column] = file.position(diagnostic.span.begin);
  return fmt::format("    <error line=\"{}\" column=\"{}\" severity=\"{}\" message=\"{}\" source=\"sparsecfg.{}\"/>\n",
                     line, column, to_string(diagnostic.severity), xml_text(diagnostic.message), diagnostic.info->code);
}

std::string render_checkstyle(const Report& report, const Options&) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
  for (const FileReport& file : report.files) {
    out += fmt::format("  <file name=\"{}\">\n", xml_text(file.file->name()));
    for (const diag::Diagnostic& diagnostic : file.diagnostics) {
      out += checkstyle_error(*file.file, diagnostic);
    }
    out += "  </file>\n";
  }
  for (const Failure& failure : report.failures) {
    out += fmt::format(
        "  <file name=\"{}\">\n    <error severity=\"error\" message=\"{}\" source=\"sparsecfg.input\"/>\n  </file>\n",
        xml_text(failure.path), xml_text(failure.reason));
  }
  return out + "</checkstyle>\n";
}

// reviewdog columns are 1-based and count UTF-8 bytes.
static Json rdjson_position(const source::SourceFile& file, std::uint32_t offset) {
  const std::uint32_t line = file.position(offset).line;
  return {{"line", line}, {"column", offset - file.line_span(line).begin + 1}};
}

static Json rdjson_range(const source::SourceFile& file, source::Span span) {
  return {{"start", rdjson_position(file, span.begin)}, {"end", rdjson_position(file, span.end)}};
}

static Json rdjson_finding(const source::SourceFile& file, const diag::Diagnostic& diagnostic,
                           const std::string& docs) {
  Json out{{"message", text_of(diagnostic)},
           {"location", {{"path", file.name()}, {"range", rdjson_range(file, diagnostic.span)}}},
           {"severity", kRdjson.of(diagnostic.severity)},
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
