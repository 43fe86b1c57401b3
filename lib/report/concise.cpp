#include <fmt/format.h>

#include "base/text.h"
#include "report/report.h"

namespace sparsecfg::report {

// `recipe.yaml:10:21: SP202 the final sparsity 0.8 is never applied`
std::string render_concise(const Report& report, const Options&) {
  std::string out;
  for (const FileReport& file : report.files) {
    for (const diag::Diagnostic& diagnostic : file.diagnostics) {
      const auto [line, column] = file.file->position(diagnostic.span.begin);
      out += fmt::format("{}:{}:{}: {} {}\n", base::printable(file.file->name()), line, column, diagnostic.info->code,
                         base::printable(diagnostic.message));
    }
  }
  return out;
}

}  // namespace sparsecfg::report
