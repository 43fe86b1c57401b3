#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "source/source_file.h"

// The output formats of `validate`. Each format is one function, and one row in formats.cpp.
namespace sparsecfg::report {

// The model of recipes of a file, or the reason why it is unknown.
struct ModelLine {
  // A recipe of a file with several: its number and its first line, both from 1.
  struct Recipe {
    std::size_t number;
    std::uint32_t line;
  };

  std::vector<Recipe> recipes;  // empty if the file has one recipe
  std::string model;            // the model and where it was found, or the reason why it is unknown
  std::string effect;           // what the recipes do to the model; may be empty
  bool is_unknown = false;

  // Returns true if both lines say the same.
  [[nodiscard]] bool is_same(const ModelLine& other) const { return model == other.model && effect == other.effect; }
};

// A recipe of a script, or a value in one, that was not checked.
struct NotChecked {
  source::Span span;
  std::string reason;  // why it is unknown: "it depends on `os.environ` (line 3)"
};

// The findings of one file.
struct FileReport {
  const source::SourceFile* file;
  std::optional<std::string> dialect;  // nullopt if none was given or detected
  std::vector<diag::Diagnostic> diagnostics;
  std::vector<std::string> recipes{};  // dialects of the recipes of a file that is not one recipe
  // The lowest severity that makes the run fail; nullopt if no finding does.
  std::optional<diag::Severity> fail_on = diag::Severity::error;
  std::vector<ModelLine> models{};
  std::string release{};  // the release that the project requires, and where; empty without one
  std::vector<NotChecked> not_checked{};
  std::vector<NotChecked> values{};  // of recipes that were checked in part; empty if the findings name them
  std::string runtime{};  // the runtime for which the recipes were checked: "vLLM 0.30 on 4 GPUs"; empty without one
  std::vector<std::string> assumed{};  // options of the script whose defaults the recipes have: "--method"

  [[nodiscard]] bool fails(const diag::Diagnostic& diagnostic) const {
    return fail_on && diagnostic.severity <= *fail_on;
  }
};

// A file that could not be read or written.
struct Failure {
  std::string path;
  std::string reason;
};

// A file or folder that was not checked, and the reason. Paths of folders end with `/`.
struct Skipped {
  std::string path;
  std::string reason;

  [[nodiscard]] bool is_folder() const { return path.ends_with('/'); }
};

// A finding that --fix fixed.
struct FixedFinding {
  std::string path;
  std::uint32_t line;  // when the fix was applied
  const diag::Info* info;
};

struct Report {
  std::vector<FileReport> files;
  std::vector<Failure> failures;
  std::vector<Skipped> skipped;
  std::optional<std::vector<FixedFinding>> fixed;  // nullopt without --fix
  std::string changes{};                           // what --fix changed, as a unified diff
  std::size_t known = 0;                           // findings that a baseline contains
  std::size_t known_gone = 0;                      // entries of baselines that matched no finding
  std::size_t passed_over = 0;  // scripts that mention configurations but assign none as a readable literal

  // Number of findings of one severity in all files.
  [[nodiscard]] std::size_t count(diag::Severity severity) const;
  // Number of skipped files, without folders.
  [[nodiscard]] std::size_t count_skipped() const;
  // Number of recipes that are unknown.
  [[nodiscard]] std::size_t count_not_checked() const;
  [[nodiscard]] std::size_t count_values() const;
};

struct Options {
  bool color = false;
  std::size_t columns = 80;   // width of the terminal
  bool terminal = false;      // text: true if the output is a terminal
  bool verbose = false;       // text: also print info findings
  bool quiet = false;         // text: no summary
  bool show_fixes = false;    // text: show the changes of fixes below their findings
  bool unsafe_fixes = false;  // text: count unsafe fixes as fixable
  std::string not_checked{};  // text and agent: the skipped checks and the options that enable them; empty: not listed
  std::string docs{};         // address of the documentation, to which rules link; empty for no links
};

struct Format {
  std::string_view name;  // the value of --format
  std::string_view doc;
  bool infos;  // true if info findings are included without --verbose, because programs filter them
  std::string (*render)(const Report&, const Options&);
};

// Returns all formats in the order of the help text.
[[nodiscard]] std::span<const Format> formats();
// Returns nullptr for an unknown format.
[[nodiscard]] const Format* find_format(std::string_view name);

// Render functions of the formats. Short formats of CI services are in ci.cpp, each other in the file named after it.
[[nodiscard]] std::string render_text(const Report& report, const Options& options);
[[nodiscard]] std::string render_json(const Report& report, const Options& options);
[[nodiscard]] std::string render_json_lines(const Report& report, const Options& options);
[[nodiscard]] std::string render_agent(const Report& report, const Options& options);
[[nodiscard]] std::string render_concise(const Report& report, const Options& options);
[[nodiscard]] std::string render_github(const Report& report, const Options& options);
[[nodiscard]] std::string render_gitlab(const Report& report, const Options& options);
[[nodiscard]] std::string render_sarif(const Report& report, const Options& options);
[[nodiscard]] std::string render_junit(const Report& report, const Options& options);
[[nodiscard]] std::string render_checkstyle(const Report& report, const Options& options);
[[nodiscard]] std::string render_rdjson(const Report& report, const Options& options);

// Renders `validate --statistics`: one line per rule, errors first, then the most frequent ones first. Omits info
// findings without `verbose`.
[[nodiscard]] std::string render_statistics(const Report& report, bool verbose);

// Renders `validate --show-files`: one line per file and folder, sorted by path.
[[nodiscard]] std::string render_files(const Report& report);

// Renders the list of fixed findings: "fixed recipe.yaml:12: SP202 final-update-unreachable". `verb` is "fixed" or
// "would fix".
[[nodiscard]] std::string render_fixed(const std::vector<FixedFinding>& fixed, std::string_view verb);

// Returns the JSON Schema (draft 7) of `--format json`.
[[nodiscard]] std::string report_schema();

}  // namespace sparsecfg::report
