#include <fmt/format.h>

#include "report/parts.h"

namespace sparsecfg::report {

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

}  // namespace sparsecfg::report
