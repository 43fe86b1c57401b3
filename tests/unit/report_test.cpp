#include "report/report.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "base/text.h"
#include "diag/sink.h"
#include "report/parts.h"

namespace sparsecfg::report {

static FileReport two_repeated_keys(const source::SourceFile& file, std::uint32_t first, std::uint32_t second) {
  diag::Sink sink;
  sink.report(diag::duplicate_key, {first, first + 1}, "a");
  sink.report(diag::duplicate_key, {second, second + 1}, "a");
  return {&file, "sparseml", sink.take()};
}

TEST_CASE("every format renders an empty report, and one whose file and message are not UTF-8, as valid UTF-8") {
  const source::SourceFile file("bad\xFF.yaml", "\xC3(\n");
  diag::Sink sink;
  sink.report(diag::not_utf8, {0, 1}, "a \xC3( b").with_help("\x80").with_label({0, 1}, "\xED\xA0\x80");
  Report report;
  report.files.push_back({&file, std::nullopt, sink.take()});
  report.failures.push_back({"\xFF", "no such file"});
  for (const Format& format : formats()) {
    INFO(format.name);
    const std::string out = format.render(report, {});
    CHECK(base::find_invalid_utf8(out) == out.size());
    CHECK_NOTHROW(format.render({}, {}));
  }
}

TEST_CASE("no format prints a control or bidirectional character of a recipe") {
  const source::SourceFile file("a\x1b[31m.yaml", "x\n");
  diag::Sink sink;
  sink.report(diag::duplicate_key, {0, 1}, "\x1b]0;\xE2\x80\xAE\xC2\x9B").with_help("\xE2\x81\xA6\a");
  Report report;
  report.files.push_back({&file, std::nullopt, sink.take()});
  for (const Format& format : formats()) {
    INFO(format.name);
    const std::string out = format.render(report, {});
    for (std::size_t at = 0; at < out.size();) {
      const char32_t code_point = base::next_code_point(out, at);
      CHECK((code_point == '\n' || !base::is_unsafe(code_point)));
    }
  }
}

TEST_CASE("rules link to the documentation if its address is known") {
  const source::SourceFile file("a.yaml", "a: 1\na: 1\n");
  Report report;
  report.files.push_back(two_repeated_keys(file, 0, 5));
  for (const char* name : {"json", "json-lines", "sarif", "rdjson"}) {
    INFO(name);
    const Format& format = *find_format(name);
    CHECK(format.render(report, {.docs = "https://docs.test/"}).find("https://docs.test/rules/SP004/") !=
          std::string::npos);
    CHECK(format.render(report, {}).find("://docs") == std::string::npos);
  }
  const Options terminal{.color = true, .terminal = true, .docs = "https://docs.test/"};
  CHECK(render_text(report, terminal).find("error[\x1b]8;;https://docs.test/rules/SP004/\x1b\\SP004\x1b]8;;\x1b\\]") !=
        std::string::npos);
  CHECK(render_text(report, {.color = true, .docs = "https://docs.test/"}).find("docs.test") == std::string::npos);
}

TEST_CASE("only visible findings count as fixable") {
  const source::SourceFile file("a.yaml", "a: 1\na: 1\n");
  Report report;
  report.files.push_back(two_repeated_keys(file, 0, 5));
  for (diag::Diagnostic& each : report.files[0].diagnostics) each.with_fix(diag::Fix::safe().replace({0, 5}, ""));
  CHECK(render_text(report, {}).find("2 fixable with --fix\n") != std::string::npos);
  report.files[0].diagnostics[1].severity = diag::Severity::info;
  CHECK(render_text(report, {}).find("1 fixable with --fix\n") != std::string::npos);
  CHECK(render_text(report, {.verbose = true}).find("2 fixable with --fix\n") != std::string::npos);
  CHECK(render_statistics(report, false) == "    1  error    SP004  duplicate-key  (1 fixable)\n");
}

TEST_CASE("a fingerprint stays when lines above are added, and tells equal findings apart") {
  const source::SourceFile before("a.yaml", "a: 1\na: 1\n");
  const source::SourceFile after("a.yaml", "# new\n\na: 1\na: 1\n");
  const auto first = fingerprints_of(two_repeated_keys(before, 0, 5));
  const auto second = fingerprints_of(two_repeated_keys(after, 7, 12));
  REQUIRE(first.size() == 2);
  CHECK(first[0] != first[1]);
  CHECK(first == second);
}

TEST_CASE("paths as URIs") {
  CHECK(base::uri_of("./a b/c#1.yaml") == "a%20b/c%231.yaml");
  CHECK(base::uri_of("/tmp/x.yaml") == "file:///tmp/x.yaml");
  CHECK(base::uri_of("ä.yaml") == "%C3%A4.yaml");
}

TEST_CASE("a finding below the level of a file does not fail") {
  const source::SourceFile file("a.yaml", "a: 1\na: 1\n");
  FileReport report = two_repeated_keys(file, 0, 5);
  CHECK(report.fails(report.diagnostics[0]));
  report.diagnostics[0].severity = diag::Severity::warning;
  CHECK_FALSE(report.fails(report.diagnostics[0]));
  report.fail_on = std::nullopt;
  CHECK_FALSE(report.fails(report.diagnostics[1]));
}

}  // namespace sparsecfg::report
