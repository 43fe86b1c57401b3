#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diag/levels.h"
#include "report/report.h"

namespace sparsecfg::report {

struct CodeCount {
  const diag::Info* info;
  std::size_t findings = 0;
  std::size_t fixable = 0;  // with a safe fix
};

static std::vector<CodeCount> counts_of(const Report& report) {
  std::map<std::string_view, CodeCount> by_code;
  for (const FileReport& file : report.files) {
    for (const diag::Diagnostic& diagnostic : file.diagnostics) {
      CodeCount& count = by_code.try_emplace(diagnostic.info->code, CodeCount{diagnostic.info}).first->second;
      ++count.findings;
      count.fixable += diag::is_fixable(diagnostic, false) ? 1 : 0;
    }
  }
  std::vector<CodeCount> out;
  for (const auto& [code, count] : by_code) out.push_back(count);
  std::ranges::stable_sort(out, std::greater(), &CodeCount::findings);
  return out;
}

std::string render_statistics(const Report& report) {
  std::string out;
  for (const CodeCount& count : counts_of(report)) {
    out += fmt::format("{:5}  {}  {}{}\n", count.findings, count.info->code, count.info->name,
                       count.fixable > 0 ? fmt::format(" ({} fixable)", count.fixable) : "");
  }
  return out;
}

}  // namespace sparsecfg::report
