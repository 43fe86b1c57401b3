#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "project/settings.h"

namespace sparsecfg::project {

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
};

// A path without `.` and `..`, from the root of the file system on.
[[nodiscard]] std::filesystem::path absolute_path(const std::string& path);

}  // namespace sparsecfg::project
