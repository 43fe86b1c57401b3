#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "diag/levels.h"

// What a project has settled for all its recipes: a file `.sparsecfg.yaml` in the folder of a recipe or
// in one above it, the nearest one. Only what counts is settled there, never how a recipe is read.
namespace sparsecfg {

struct Settings {
  diag::Levels levels;
  std::optional<diag::Severity> fail_on;
};

// Why a file of settings can't be used: "line 3: there is no diagnostic `SP9999`".
struct SettingsError {
  std::string path;
  std::string reason;
};

// The settings in the text of such a file.
[[nodiscard]] std::variant<Settings, SettingsError> read_settings(const std::string& path, std::string text);

// Finds the settings of files and reads each of them once.
class SettingsFinder {
 public:
  // For a file; those of the current folder for standard input (`-`). Empty ones where there are none.
  [[nodiscard]] const std::variant<Settings, SettingsError>& of(const std::string& path);

 private:
  [[nodiscard]] const std::variant<Settings, SettingsError>& of_folder(const std::filesystem::path& folder);

  std::map<std::filesystem::path, std::variant<Settings, SettingsError>> known_;
};

}  // namespace sparsecfg
