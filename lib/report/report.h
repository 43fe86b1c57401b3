#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "source/source_file.h"

// The output formats of `validate`. Each format is one file with one function, and one row in formats.cpp.
namespace sparsecfg::report {

// The findings of one file.
struct FileReport {
  const source::SourceFile* file;
  std::optional<std::string> dialect;  // nullopt if none was given or detected
  std::vector<diag::Diagnostic> diagnostics;
  // The lowest severity that makes the run fail; nullopt if no finding does.
  std::optional<diag::Severity> fail_on = diag::Severity::error;

  [[nodiscard]] bool fails(const diag::Diagnostic& diagnostic) const {
    return fail_on && diagnostic.severity <= *fail_on;
  }
};

// A file that could not be read or written.
struct Failure {
  std::string path;
  std::string reason;
};

struct Report {
  std::vector<FileReport> files;
  std::vector<Failure> failures;
  std::optional<std::size_t> fixed;  // number of fixed findings; nullopt without --fix
  std::size_t passed_over = 0;       // scripts that mention configurations but assign none as a readable literal

  // Number of findings of one severity in all files.
  [[nodiscard]] std::size_t count(diag::Severity severity) const;
};

struct Options {
  bool color = false;
  std::size_t columns = 80;   // width of the terminal
  bool terminal = false;      // text: true if the output is a terminal
  bool verbose = false;       // text: also print info findings
  bool quiet = false;         // text: no summary
  bool unsafe_fixes = false;  // text: count unsafe fixes as fixable
  std::string not_checked;    // text: the skipped checks and the options that enable them; may be empty
};

struct Format {
  std::string_view name;  // the value of --format
  std::string_view doc;
  bool infos;  // true if info findings are included without --verbose, because programs filter them
  std::string (*render)(const Report&, const Options&);
};

// Returns all formats in the order of the help text.
[[nodiscard]] std::span<const Format> formats();
// Returns nullptr if there is no such format.
[[nodiscard]] const Format* find_format(std::string_view name);

// Render functions of the formats. Each is implemented in the file named after the format.
[[nodiscard]] std::string render_text(const Report& report, const Options& options);
[[nodiscard]] std::string render_json(const Report& report, const Options& options);
[[nodiscard]] std::string render_json_lines(const Report& report, const Options& options);
[[nodiscard]] std::string render_concise(const Report& report, const Options& options);
[[nodiscard]] std::string render_github(const Report& report, const Options& options);
[[nodiscard]] std::string render_gitlab(const Report& report, const Options& options);
[[nodiscard]] std::string render_sarif(const Report& report, const Options& options);
[[nodiscard]] std::string render_junit(const Report& report, const Options& options);
[[nodiscard]] std::string render_checkstyle(const Report& report, const Options& options);
[[nodiscard]] std::string render_rdjson(const Report& report, const Options& options);

// Renders `validate --statistics`: one line per code, most frequent first.
[[nodiscard]] std::string render_statistics(const Report& report);

// Returns the JSON Schema (draft 7) of `--format json`.
[[nodiscard]] std::string report_schema();

}  // namespace sparsecfg::report
