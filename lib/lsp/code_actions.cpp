#include <fmt/format.h>

#include <algorithm>

#include "compile/fix.h"
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

// Returns the title of a quick fix: "SP105: did you mean `end_epoch`?"
static std::string title_of(const Diagnostic& finding) {
  const std::string what = finding.help.empty() ? "fix: " + finding.message : finding.help;
  return fmt::format("{}: {}{}", finding.info->code, what,
                     finding.fix.kind == diag::Fix::Kind::unsafe ? " (unsafe fix)" : "");
}

static bool touches(source::Span a, source::Span b) { return a.begin <= b.end && b.begin <= a.end; }

static void add_quick_fixes(const std::vector<Diagnostic>& findings, source::Span asked, const Document& document,
                            Json& out) {
  for (const Diagnostic& finding : findings) {
    if (!diag::is_fixable(finding, true) || !touches(finding.span, asked)) continue;
    Json action = action_json(title_of(finding), kQuickFix, edits_of(finding.fix, document), document);
    action["isPreferred"] = finding.fix.kind == diag::Fix::Kind::safe;
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
  const std::vector<Diagnostic> findings = workspace.findings_of(document);
  Json out = Json::array();
  if (is_asked(only, kQuickFix)) {
    add_quick_fixes(findings, asked, document, out);
  }
  const bool any = std::ranges::any_of(findings, [](const Diagnostic& each) { return diag::is_fixable(each, false); });
  if (any && is_asked(only, kFixAll)) {
    add_fix_all(workspace, document, out);
  }
  return out;
}

}  // namespace sparsecfg::lsp
