#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "diag/levels.h"
#include "source/ignore_rules.h"

// What a project states for its recipes in a file `.sparsecfg.yaml`. The options of a command line are of the same
// form and count more.
namespace sparsecfg::project {

enum class FailOn { error, warning, info, never };

// Returns nullopt unless the text is "error", "warning", "info" or "never".
[[nodiscard]] std::optional<FailOn> read_fail_on(std::string_view text);

// How recipes are read and which of their findings count. What is not stated is empty.
struct Settings {
  diag::Levels levels;
  std::optional<FailOn> fail_on;
  std::optional<std::string> from;                                  // the name of a dialect
  std::vector<std::pair<std::string, std::string>> reader_options;  // such as nni = 2.x; the last one counts
  std::string parameters;                                           // path of the file with the model's names
  std::string modules;                                              // the same
  std::optional<std::size_t> steps_per_epoch;
  std::optional<double> epochs;
  std::optional<double> initial_rate;

  // Adds settings, which have precedence over these.
  void add(const Settings& other);
};

// A file `.sparsecfg.yaml`.
struct ProjectSettings {
  std::string path;  // empty if there is no such file
  Settings settings;
  source::IgnoreRules exclude;
  std::vector<std::pair<source::IgnoreRules, Settings>> per_file;  // what is later counts more
};

// Why a file of settings can't be used: "line 3: there is no diagnostic `SP9999`".
struct SettingsError {
  std::string path;
  std::string reason;
};

using ReadSettings = std::variant<ProjectSettings, SettingsError>;

// The settings in the text of such a file. Paths in it are relative to its folder.
[[nodiscard]] ReadSettings read_settings(const std::string& path, std::string text);

// The JSON Schema (draft 7) of such a file, for editors.
[[nodiscard]] std::string settings_schema();

// Finds the settings of files and reads each of them once.
class SettingsFinder {
 public:
  // The settings of a file: those of the nearest `.sparsecfg.yaml` in its folder or above it, up to the root of the
  // repository or the home folder; for `-` those of the current folder. A file of settings that belongs to another
  // user and that others than its owner can write is an error.
  [[nodiscard]] const ReadSettings& of(const std::string& path);

 private:
  [[nodiscard]] const ReadSettings& of_folder(const std::filesystem::path& folder);
  [[nodiscard]] ReadSettings read(const std::filesystem::path& folder);

  std::map<std::filesystem::path, ReadSettings> known_;
  std::map<std::string, const ReadSettings*> by_written_folder_;  // by the path of a file up to its name
};

// A path without `.` and `..`, from the root of the file system on.
[[nodiscard]] std::filesystem::path absolute_path(const std::string& path);

}  // namespace sparsecfg::project
