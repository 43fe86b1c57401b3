#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "diag/levels.h"
#include "report/report.h"

namespace sparsecfg::report {

// The findings of one rule with one severity.
struct RuleCount {
  const diag::Info* info;
  diag::Severity severity;
  std::size_t findings = 0;
  std::size_t fixable = 0;  // with a safe fix
  std::size_t unsafe = 0;   // with an unsafe fix
};

static std::vector<RuleCount> counts_of(const Report& report, bool verbose) {
  std::map<std::pair<diag::Severity, std::string_view>, RuleCount> counts;
  for (const FileReport& file : report.files) {
    for (const diag::Diagnostic& diagnostic : file.diagnostics) {
      if (diagnostic.severity == diag::Severity::info && !verbose) continue;
      RuleCount& count = counts
                             .try_emplace({diagnostic.severity, diagnostic.info->code},
                                          RuleCount{diagnostic.info, diagnostic.severity})
                             .first->second;
      ++count.findings;
      count.fixable += diag::is_fixable(diagnostic, false) ? 1 : 0;
      count.unsafe += diag::is_fixable(diagnostic, true) && !diag::is_fixable(diagnostic, false) ? 1 : 0;
    }
  }
  std::vector<RuleCount> out;
  for (const auto& [key, count] : counts) out.push_back(count);
  std::ranges::stable_sort(out, [](const RuleCount& a, const RuleCount& b) {
    return a.severity != b.severity ? a.severity < b.severity : a.findings > b.findings;
  });
  return out;
}

// " (3 fixable, 1 with --unsafe-fixes)"
static std::string fixable_text(const RuleCount& count) {
  if (count.fixable > 0 && count.unsafe > 0) {
    return fmt::format("  ({} fixable, {} with --unsafe-fixes)", count.fixable, count.unsafe);
  }
  if (count.unsafe > 0) return fmt::format("  ({} fixable with --unsafe-fixes)", count.unsafe);
  return count.fixable > 0 ? fmt::format("  ({} fixable)", count.fixable) : "";
}

std::string render_statistics(const Report& report, bool verbose) {
  std::string out;
  const std::vector<RuleCount> counts = counts_of(report, verbose);
  std::size_t total = 0;
  for (const RuleCount& count : counts) {
    total += count.findings;
    out += fmt::format("{:5}  {:7}  {}  {}{}\n", count.findings, to_string(count.severity), count.info->code,
                       count.info->name, fixable_text(count));
  }
  return counts.size() < 2 ? out : out + fmt::format("{:5}  in total\n", total);
}

// Returns "sparseml", "2 recipes: llm-compressor, sparseml" or "no recipe found".
static std::string contents_of(const FileReport& file) {
  const std::set<std::string> dialects(file.recipes.begin(), file.recipes.end());
  if (file.recipes.size() > 1) {
    return fmt::format("{} recipes: {}", file.recipes.size(), fmt::join(dialects, ", "));
  }
  return file.dialect ? *file.dialect : dialects.empty() ? "no recipe found" : *dialects.begin();
}

std::string render_files(const Report& report) {
  std::vector<std::pair<std::string, std::string>> lines;  // path and line
  for (const FileReport& file : report.files) {
    const std::string& path = file.file->name();
    lines.emplace_back(path, fmt::format("checked  {} ({})", base::printable(path), contents_of(file)));
  }
  for (const Skipped& skipped : report.skipped) {
    lines.emplace_back(skipped.path,
                       fmt::format("skipped  {}: {}", base::printable(skipped.path), base::printable(skipped.reason)));
  }
  for (const Failure& failure : report.failures) {
    lines.emplace_back(failure.path,
                       fmt::format("failed   {}: {}", base::printable(failure.path), base::printable(failure.reason)));
  }
  std::ranges::stable_sort(lines);
  std::string out;
  for (const auto& [path, line] : lines) out += line + '\n';
  return out;
}

std::string render_fixed(const std::vector<FixedFinding>& fixed, std::string_view verb) {
  std::string out;
  for (const FixedFinding& each : fixed) {
    out +=
        fmt::format("{} {}:{}: {} {}\n", verb, base::printable(each.path), each.line, each.info->code, each.info->name);
  }
  return out;
}

}  // namespace sparsecfg::report
