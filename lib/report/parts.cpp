#include "report/parts.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "diag/catalog.h"

namespace sparsecfg::report {

std::string json_text(const Json& json, bool one_line) {
  return json.dump(one_line ? -1 : 1, ' ', true, Json::error_handler_t::replace) + '\n';
}

static Json place_json(const source::SourceFile& file, std::uint32_t offset) {
  const auto [line, column] = file.position(offset);
  return {{"line", line}, {"column", column}, {"byte", offset}};
}

static Json span_json(const source::SourceFile& file, source::Span span) {
  return {{"start", place_json(file, span.begin)}, {"end", place_json(file, span.end)}};
}

static Json fix_json(const source::SourceFile& file, const diag::Fix& fix) {
  Json out{{"applicability", fix.kind == diag::Fix::Kind::safe ? "safe" : "unsafe"}, {"edits", Json::array()}};
  for (const diag::Edit& edit : fix.edits) {
    out["edits"].push_back({{"span", span_json(file, edit.span)}, {"text", edit.text}});
  }
  return out;
}

Json finding_json(const source::SourceFile& file, const diag::Diagnostic& diagnostic, std::string_view docs) {
  Json out;
  out["code"] = diagnostic.info->code;
  out["name"] = diagnostic.info->name;
  out["severity"] = to_string(diagnostic.severity);
  out["message"] = diagnostic.message;
  out["help"] = diagnostic.help;
  out["page"] = diag::page_of(*diagnostic.info);
  if (!docs.empty()) {
    out["url"] = diag::url_of(*diagnostic.info, docs);
  }
  out["span"] = span_json(file, diagnostic.span);
  if (const source::CellLine* place = file.cell_at(diagnostic.span.begin)) {
    out["cell"] = {{"index", place->cell}, {"line", place->line}};
  }
  out["labels"] = Json::array();
  for (const diag::Label& label : diagnostic.labels) {
    out["labels"].push_back({{"span", span_json(file, label.span)}, {"text", label.text}});
  }
  if (!diagnostic.caret.empty()) {
    out["note"] = diagnostic.caret;
  }
  if (!diagnostic.fix.edits.empty()) {
    out["fix"] = fix_json(file, diagnostic.fix);
  }
  return out;
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : base::printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// 64-bit FNV-1a hash.
static std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

std::vector<std::string> fingerprints_of(const source::SourceFile& file,
                                         std::span<const diag::Diagnostic> diagnostics) {
  std::map<std::string, std::size_t> seen;
  std::vector<std::string> out;
  for (const diag::Diagnostic& diagnostic : diagnostics) {
    const source::Span line = file.line_span(file.position(diagnostic.span.begin).line);
    const std::string key = fmt::format("{}\n{}", diagnostic.info->code, base::trim(file.text(line)));
    out.push_back(fmt::format("{:016x}", hash_of(fmt::format("{}\n{}", key, seen[key]++))));
  }
  return out;
}

}  // namespace sparsecfg::report
