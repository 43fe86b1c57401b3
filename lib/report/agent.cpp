#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/repeated.h"
#include "report/report.h"
#include "report/summary.h"
#include "source/edits.h"

// The form for coding agents: a compact block for each finding, with the edit as a diff that can be applied.
namespace sparsecfg::report {

constexpr std::size_t kMaxFindings = 40;

static std::string block_of(const source::SourceFile& file, const diag::Diagnostic& finding) {
  const auto [line, column] = file.position(finding.span.begin);
  const std::string name = base::printable(file.name());
  std::string out = fmt::format("{}:{}:{} {} {} {}\n", name, line, column, to_string(finding.severity),
                                finding.info->code, base::printable(finding.message));
  out += fmt::format("cause: {}\n", finding.info->explanation);
  for (const diag::Label& label : finding.labels) {
    out += fmt::format("also: line {}: {}\n", file.position(label.span.begin).line, base::printable(label.text));
  }
  if (!finding.help.empty()) out += fmt::format("help: {}\n", base::printable(finding.help));
  const auto is_replaced = [](const diag::Edit& edit) { return edit.kind == diag::Edit::Kind::replace; };
  if (finding.fix.edits.empty() || !std::ranges::all_of(finding.fix.edits, is_replaced)) return out + "\n";
  const bool safe = finding.fix.kind == diag::Fix::Kind::safe;
  return out + fmt::format("edit ({}):\n", safe ? "keeps what the recipe means" : "changes what the recipe does") +
         base::unified_diff(file.text(), source::apply_edits(file.text(), finding.fix.edits), name) + "\n";
}

// Returns "... and 3 more errors, 1 more warning"; empty if all findings are listed.
static std::string rest_of(const std::array<std::size_t, 2>& left) {
  std::string out;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) out += fmt::format("{}{}", out.empty() ? "... and " : ", ", base::counted(count, what));
  };
  add(left[0], "more error");
  add(left[1], "more warning");
  return out.empty() ? out : out + "\n\n";
}

static std::string effects_of(const Report& report) {
  std::string out;
  for (const FileReport& file : report.files) {
    for (const ModelLine& line : file.models) {
      const std::string name = base::printable(file.file->name());
      out += fmt::format("model of {}: {}{}\n", name, line.is_unknown ? "unknown: " : "", line.model);
      if (!line.effect.empty()) out += fmt::format("effect of {}: {}\n", name, line.effect);
    }
  }
  return out;
}

std::string render_agent(const Report& each, const Options& options) {
  const Report report = join_repeated(each);
  std::string out;
  std::size_t listed = 0;
  std::array<std::size_t, 2> left{};
  for (const FileReport& file : report.files) {
    for (const diag::Diagnostic& finding : file.diagnostics) {
      if (finding.severity == diag::Severity::info) continue;
      if (++listed <= kMaxFindings) {
        out += block_of(*file.file, finding);
      } else {
        ++left[finding.severity == diag::Severity::error ? 0 : 1];
      }
    }
  }
  for (const Failure& failure : report.failures) {
    out += fmt::format("{} not read: {}\n", base::printable(failure.path), base::printable(failure.reason));
  }
  out += rest_of(left) + fmt::format("{}: {}, {}\n", base::counted(report.files.size(), "file"),
                                     base::counted(report.count(diag::Severity::error), "error"),
                                     base::counted(report.count(diag::Severity::warning), "warning"));
  out += effects_of(report);
  if (!options.not_checked.empty()) out += fmt::format("not checked: {}\n", options.not_checked);
  return out + coverage_lines(report);
}

}  // namespace sparsecfg::report
