#include <fmt/format.h>

#include "base/text.h"
#include "report/report.h"

namespace sparsecfg::report {

// The form of compilers, which editors and problem matchers already know:
// `recipe.yaml:10:21: warning: the final sparsity 0.8 is never applied [SP202 final-update-unreachable]`
std::string render_concise(const Report& report, const Options&) {
  std::string out;
  for (const FileReport& file : report.files) {
    for (const diag::Diagnostic& diagnostic : file.diagnostics) {
      const auto [line, column] = file.file->position(diagnostic.span.begin);
      out += fmt::format("{}:{}:{}: {}: {} [{} {}]\n", base::printable(file.file->name()), line, column,
                         to_string(diagnostic.severity), base::printable(diagnostic.message), diagnostic.info->code,
                         diagnostic.info->name);
    }
  }
  return out;
}

}  // namespace sparsecfg::report
