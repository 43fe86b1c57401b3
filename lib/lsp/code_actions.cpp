#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "compile/fix.h"
#include "diag/catalog.h"
#include "diag/levels.h"
#include "lsp/features.h"

namespace sparsecfg::lsp {

using diag::Diagnostic;

constexpr std::string_view kQuickFix = "quickfix";
constexpr std::string_view kFixAll = "source.fixAll.sparsecfg";

// Returns true if the editor requests a kind. Kinds are hierarchical: `source` includes `source.fixAll.sparsecfg`.
static bool is_asked(const Json& only, std::string_view kind) {
  if (!only.is_array()) return true;
  return std::ranges::any_of(only, [&](const Json& each) {
    const auto& asked = each.get_ref<const std::string&>();
    return asked.empty() || kind == asked || kind.starts_with(asked + ".");
  });
}

static Json action_json(std::string title, std::string_view kind, Json edits, const Document& document) {
  return {{"title", std::move(title)}, {"kind", kind}, {"edit", {{"changes", {{document.uri(), std::move(edits)}}}}}};
}

static Json edits_of(const diag::Fix& fix, const Document& document) {
  Json edits = Json::array();
  for (const diag::Edit& edit : fix.edits) {
    edits.push_back(edit_json(document.text().range(edit.span), edit.text));
  }
  return edits;
}

// Returns a part of the text in one line of limited length, in backticks.
static std::string one_line(std::string_view text) {
  constexpr std::size_t kMaxQuoted = 50;
  std::string out;
  for (const char c : base::trim(text)) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!is_blank || (!out.empty() && out.back() != ' ')) out += is_blank ? ' ' : c;
  }
  if (out.size() > kMaxQuoted) {
    std::size_t end = kMaxQuoted;
    while ((static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end;  // not within a character
    out = out.substr(0, end) + "...";
  }
  return "`" + base::printable(out) + "`";
}

static std::string change_of(const diag::Edit& edit, const Document& document) {
  const std::string_view before =
      std::string_view(document.text().bytes()).substr(edit.span.begin, edit.span.end - edit.span.begin);
  if (base::trim(edit.text).empty()) return "Delete " + one_line(before);
  return base::trim(before).empty() ? "Insert " + one_line(edit.text)
                                    : fmt::format("Replace {} with {}", one_line(before), one_line(edit.text));
}

// Returns the title of a quick fix: "Replace `end_epoc` with `end_epoch` (SP105)".
static std::string title_of(const Diagnostic& finding, const Document& document) {
  const std::size_t more = finding.fix.edits.size() - 1;
  return fmt::format("{}{} ({}{})", change_of(finding.fix.edits.front(), document),
                     more == 0 ? "" : fmt::format(", and {} more change{}", more, more == 1 ? "" : "s"),
                     finding.info->code, finding.fix.kind == diag::Fix::Kind::unsafe ? ", unsafe" : "");
}

static bool touches(source::Span a, source::Span b) { return a.begin <= b.end && b.begin <= a.end; }

// Removes the fixes at a place that do not pass their test. Runs here and not while typing, because each test
// compiles the document.
static void test_quick_fixes(Workspace& workspace, Document& document, source::Span asked,
                             std::vector<Diagnostic>& findings) {
  const auto wanted = [&](const Diagnostic& each) { return diag::is_fixable(each, true) && touches(each.span, asked); };
  if (std::ranges::none_of(findings, wanted)) {
    return;
  }
  const CompileOptions& options = workspace.options_of(document).compile;
  if (!document.with_tested_fixes) {
    document.with_tested_fixes.emplace(compile(document.path(), document.text().bytes(), options));
  }
  Compilation& current = *document.with_tested_fixes;
  test_fixes(current, options, wanted);
  for (Diagnostic& finding : findings) {
    const auto tested = std::ranges::find_if(current.diagnostics, [&](const Diagnostic& each) {
      return each.info == finding.info && each.span == finding.span && each.message == finding.message;
    });
    if (wanted(finding) && tested != current.diagnostics.end()) finding.fix = tested->fix;
  }
}

static void add_quick_fixes(const std::vector<Diagnostic>& findings, source::Span asked, const Document& document,
                            Json& out) {
  for (const Diagnostic& finding : findings) {
    if (!diag::is_fixable(finding, true) || !touches(finding.span, asked)) continue;
    Json action = action_json(title_of(finding, document), kQuickFix, edits_of(finding.fix, document), document);
    action["isPreferred"] = finding.fix.kind == diag::Fix::Kind::safe;
    action["diagnostics"] = Json::array({finding_json(finding, document)});
    out.push_back(std::move(action));
  }
}

// --- suppression comments --------------------------------------------------------------------------------

constexpr std::string_view kIgnore = "sparsecfg: ignore[";

// Returns true if a comment can accept findings in this file.
static bool has_comments(const Document& document) {
  const std::string ending = base::to_lower(base::ending_of(document.path()));
  return (ending == "yaml" || ending == "yml" || ending == "py") && document.was_read();
}

// Returns the edit that accepts a code in a line: in a comment that already accepts other codes there, or in a new one
// in the line above, because a comment at the end of a line could become a part of a scalar of several lines.
static Json ignore_edit(const Document& document, std::uint32_t number, std::string_view code) {
  const Text& text = document.text();
  for (const std::uint32_t each : {number, number == 0 ? 0 : number - 1}) {
    const source::Span line = text.line(each);
    const std::string_view bytes = std::string_view(text.bytes()).substr(line.begin, line.end - line.begin);
    const std::size_t mark = bytes.find(kIgnore);
    if (mark == std::string_view::npos || (each != number && !base::trim(bytes).starts_with('#'))) continue;
    const auto place = static_cast<std::uint32_t>(line.begin + mark + kIgnore.size());
    return edit_json(text.range({place, place}), fmt::format("{}, ", code));
  }
  const source::Span line = text.line(number);
  const std::string_view bytes = std::string_view(text.bytes()).substr(line.begin, line.end - line.begin);
  const std::size_t indent = std::min(bytes.find_first_not_of(" \t"), bytes.size());
  return edit_json(text.range({line.begin, line.begin}),
                   fmt::format("{}# {}{}] TODO: explain why\n", bytes.substr(0, indent), kIgnore, code));
}

// Adds an action for each code that is reported in the line of a finding.
static void add_ignores(const std::vector<Diagnostic>& findings, source::Span asked, const Document& document,
                        Json& out) {
  std::set<std::string_view> codes;
  for (const Diagnostic& finding : findings) {
    const bool is_of_comment = finding.info == &diag::suppression_comment.info;
    if (finding.span.end == 0 || is_of_comment || !touches(finding.span, asked)) continue;
    if (!codes.insert(finding.info->code).second) continue;
    const std::uint32_t line = document.text().line_of(finding.span.begin);
    Json action = action_json(fmt::format("Ignore {} on this line", finding.info->code), kQuickFix,
                              Json::array({ignore_edit(document, line, finding.info->code)}), document);
    action["diagnostics"] = Json::array({finding_json(finding, document)});
    out.push_back(std::move(action));
  }
}

// Returns an action that applies all safe fixes repeatedly until none is left, as `validate --fix` does.
static Json make_fix_all(Workspace& workspace, const Document& document) {
  const project::FileOptions& options = workspace.options_of(document);
  CompileOptions compile_options = options.compile;
  compile_options.skip_unknown = true;
  const FixOptions fixes{false, [&](const auto& file, auto& findings) { options.filter(file, findings); }};
  const std::string& before = document.text().bytes();
  const Fixed fixed = fix(compile(document.path(), before, compile_options), compile_options, fixes);
  if (fixed.applied.empty()) {
    return {};
  }
  return action_json(
      fmt::format("Apply safe fixes for {} finding{}", fixed.applied.size(), fixed.applied.size() == 1 ? "" : "s"),
      kFixAll, edits_between(document.text(), std::string(fixed.result.file->text())), document);
}

static void add_fix_all(Workspace& workspace, Document& document, Json& out) {
  if (!document.fix_all) document.fix_all = make_fix_all(workspace, document);
  if (!document.fix_all->is_null()) out.push_back(*document.fix_all);
}

Json code_actions(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const source::Span asked = document.text().span(read_range(params.at("range")));
  const Json only = params.value("context", Json::object()).value("only", Json());
  std::vector<Diagnostic> findings = workspace.findings_of(document);
  Json out = Json::array();
  if (is_asked(only, kQuickFix)) {
    test_quick_fixes(workspace, document, asked, findings);
    add_quick_fixes(findings, asked, document, out);
    if (has_comments(document)) add_ignores(findings, asked, document, out);
  }
  const bool any = std::ranges::any_of(findings, [](const Diagnostic& each) { return diag::is_fixable(each, false); });
  if (any && is_asked(only, kFixAll)) {
    add_fix_all(workspace, document, out);
  }
  return out;
}

}  // namespace sparsecfg::lsp
