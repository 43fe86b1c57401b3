#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/report.h"

namespace sparsecfg::report {

std::string render_files(const Report& report) {
  std::vector<std::pair<std::string, std::string>> lines;  // path and line
  for (const FileReport& file : report.files) {
    const std::string& path = file.file->name();
    lines.emplace_back(path,
                       fmt::format("checked  {} ({})", base::printable(path), file.dialect.value_or("no dialect")));
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
