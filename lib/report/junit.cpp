#include <fmt/format.h>

#include <algorithm>

#include "report/parts.h"

namespace sparsecfg::report {

static std::string junit_line(const source::SourceFile& file, const diag::Diagnostic& diagnostic) {
  const auto [line, column] = file.position(diagnostic.span.begin);
  return fmt::format("{}:{}: {}[{}]: {}", line, column, to_string(diagnostic.severity), diagnostic.info->code,
                     diagnostic.message);
}

// Findings that make the run fail become failed tests. The others become output of passed tests.
static std::string junit_case(const FileReport& file, const diag::Diagnostic& diagnostic) {
  const std::string name =
      xml_text(fmt::format("{} {}", diagnostic.info->code, file.file->position(diagnostic.span.begin).line));
  const std::string text = xml_text(junit_line(*file.file, diagnostic));
  const std::string help = diagnostic.help.empty() ? "" : "\n" + xml_text("help: " + diagnostic.help);
  const std::string inner = file.fails(diagnostic)
                                ? fmt::format("<failure type=\"{}\" message=\"{}\">{}{}</failure>",
                                              to_string(diagnostic.severity), xml_text(diagnostic.message), text, help)
                                : fmt::format("<system-out>{}{}</system-out>", text, help);
  return fmt::format("    <testcase name=\"{}\" classname=\"{}\">\n      {}\n    </testcase>\n", name,
                     xml_text(file.file->name()), inner);
}

static std::size_t failures_of(const FileReport& file) {
  return static_cast<std::size_t>(
      std::ranges::count_if(file.diagnostics, [&](const auto& each) { return file.fails(each); }));
}

// Renders one suite per file. A file without findings is one passed test.
static std::string junit_suite(const FileReport& file) {
  std::string cases;
  for (const diag::Diagnostic& diagnostic : file.diagnostics) {
    cases += junit_case(file, diagnostic);
  }
  const std::string name = xml_text(file.file->name());
  if (cases.empty()) {
    cases = fmt::format("    <testcase name=\"valid\" classname=\"{}\"/>\n", name);
  }
  return fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}  </testsuite>\n", name,
                     std::max<std::size_t>(1, file.diagnostics.size()), failures_of(file), cases);
}

static std::string junit_failure(const Failure& failure) {
  const std::string name = xml_text(failure.path);
  return fmt::format(
      "  <testsuite name=\"{0}\" tests=\"1\" failures=\"0\" errors=\"1\">\n"
      "    <testcase name=\"readable\" classname=\"{0}\">\n      <error message=\"{1}\"/>\n    </testcase>\n"
      "  </testsuite>\n",
      name, xml_text(failure.reason));
}

std::string render_junit(const Report& report, const Options&) {
  std::string suites;
  std::size_t tests = report.failures.size();
  std::size_t failed = 0;
  for (const FileReport& file : report.files) {
    suites += junit_suite(file);
    tests += std::max<std::size_t>(1, file.diagnostics.size());
    failed += failures_of(file);
  }
  for (const Failure& failure : report.failures) {
    suites += junit_failure(failure);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"sparsecfg\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}</testsuites>\n",
      tests, failed, report.failures.size(), suites);
}

}  // namespace sparsecfg::report
