#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "diag/levels.h"
#include "dialect/custom.h"
#include "source/ignore_rules.h"
#include "source/span.h"

// Reads the settings of a project from its config file `.sparsecfg.yaml`. Command-line options use the same type and
// override them.
namespace sparsecfg::project {

enum class FailOn { error, warning, info, never };

// Returns nullopt unless the text is "error", "warning", "info" or "never".
[[nodiscard]] std::optional<FailOn> read_fail_on(std::string_view text);

// Settings for reading recipes and filtering findings. Unset ones are empty.
struct Settings {
  diag::Levels levels;
  std::optional<FailOn> fail_on;
  std::optional<std::string> from;                                  // name of a dialect
  std::vector<std::pair<std::string, std::string>> reader_options;  // such as nni = 2.x; the last one has precedence
  std::string parameters;                                           // path of the file with the model parameters
  std::string modules;                                              // path of the file with the model modules
  std::string model;                                                // folder, file or name of the model
  std::string baseline;                                             // path of the file with known findings
  std::string qat_policy;                                           // path of the QAT policy for schedules
  std::optional<std::size_t> steps_per_epoch;
  std::optional<std::size_t> parameter_groups;
  std::optional<double> epochs;
  std::optional<double> initial_rate;
  std::vector<dialect::CustomClass> classes;  // of the project; the last one of a name has precedence

  // Merges other settings, which have precedence, into these.
  void add(const Settings& other);
};

// Contents of a config file `.sparsecfg.yaml`.
struct ProjectSettings {
  std::string path;  // empty if no config file was found
  Settings settings;
  source::IgnoreRules exclude;
  std::vector<std::string> exclude_patterns;                       // the patterns of `exclude`
  std::vector<std::pair<source::IgnoreRules, Settings>> per_file;  // later entries have precedence
  std::vector<std::string> own_patterns;  // of the last entries of `per_file`: those that this file itself has

  // Merges other settings, which have precedence, into these. Keeps the path.
  void add(ProjectSettings other);
};

// An error at a place of a config file.
struct SettingsFinding {
  source::Span span;
  std::string message;
};

// Errors in a config file, or the reason why it cannot be read.
struct SettingsError {
  std::string path;
  std::string reason;  // one line per error: "line 3: unknown rule `SP9999`"
  std::vector<SettingsFinding> findings{};
  std::string excerpt{};  // the errors with the lines of the file; empty if it cannot be read
};

using ReadSettings = std::variant<ProjectSettings, SettingsError>;

// Parses the text of a config file and reads the files that it extends. Paths in it are relative to its folder.
[[nodiscard]] ReadSettings read_settings(const std::string& path, std::string text);

// Returns a config file with every setting as a comment, for `sparsecfg init`.
[[nodiscard]] std::string settings_template();

// Returns the JSON Schema (draft 7) of a config file, for editors.
[[nodiscard]] std::string settings_schema();

// Finds the config files of recipes. Reads each config file once.
class SettingsFinder {
 public:
  // Returns the settings for a file: those of the nearest `.sparsecfg.yaml` in its folder or a parent folder, up to the
  // root of the repository or the home folder. `-` uses the current folder. A config file that is owned by another user
  // and writable by others is an error.
  [[nodiscard]] const ReadSettings& of(const std::string& path);

 private:
  [[nodiscard]] const ReadSettings& of_folder(std::string folder);

  std::deque<ReadSettings> read_{
      ReadSettings(ProjectSettings())};                           // the first one is for folders without a config file
  std::unordered_map<std::string, const ReadSettings*> known_;    // by folder
  std::map<std::string, const ReadSettings*> by_written_folder_;  // by the folder part of a path, not normalized
};

// Returns an absolute path without `.` and `..`.
[[nodiscard]] std::filesystem::path absolute_path(const std::string& path);

}  // namespace sparsecfg::project
