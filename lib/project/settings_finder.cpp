#include "project/settings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "source/load.h"

namespace sparsecfg::project {

namespace fs = std::filesystem;

constexpr std::string_view kSettingsName = ".sparsecfg.yaml";

fs::path absolute_path(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal();
}

// Returns true for a file of another user that more users than that one can write.
static bool is_unsafe_file(const fs::path& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 && status.st_uid != ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

// Returns true for a symbolic link out of its folder and all below. What such a file holds is nobody's business here: a
// link in a stranger's repository may lead to any file of the one who runs the program.
static bool leads_elsewhere(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.parent_path(), error);
  const fs::path file = error ? fs::path() : fs::canonical(path, error);
  return !error && fs::is_symlink(path, error) && file.lexically_relative(folder).native().starts_with("..");
}

// Returns true if the search for settings goes no further up than this folder.
static bool is_last_folder(const fs::path& folder) {
  std::error_code ignored;
  const char* home = std::getenv("HOME");
  return fs::exists(folder / ".git", ignored) || (home != nullptr && folder == fs::path(home).lexically_normal()) ||
         folder == folder.parent_path() || folder.empty();
}

const ReadSettings& SettingsFinder::of(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;  // 0 if there is no `/`
  if (path.find_first_not_of('.', name) == std::string::npos) {
    return of_folder(absolute_path(path).parent_path());
  }
  const auto [known, added] = by_written_folder_.try_emplace(path.substr(0, name), nullptr);
  if (added) {
    known->second = &of_folder(absolute_path(path == "-" ? "./-" : path).parent_path());
  }
  return *known->second;
}

const ReadSettings& SettingsFinder::of_folder(const fs::path& folder) {
  const auto known = known_.find(folder);
  return known != known_.end() ? known->second : known_.emplace(folder, read(folder)).first->second;
}

ReadSettings SettingsFinder::read(const fs::path& folder) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
  const fs::path path = folder / kSettingsName;
  std::error_code ignored;
  // A broken symbolic link is reported; it does not count as a missing file.
  const fs::file_type type = fs::symlink_status(path, ignored).type();
  if (type == fs::file_type::not_found || type == fs::file_type::none) {
    return is_last_folder(folder) ? ProjectSettings{} : of_folder(folder.parent_path());
  }
  if (is_unsafe_file(path)) {
    return SettingsError{path.native(), "belongs to another user, and others can write it; take that permission away"};
  }
  if (leads_elsewhere(path)) {
    return SettingsError{path.native(), "a symbolic link that leads out of its folder"};
  }
  auto text = source::read_file(path.native(), kMaxBytes);
  if (const auto* failure = std::get_if<source::LoadError>(&text)) {
    return SettingsError{path.native(), failure->reason};
  }
  return read_settings(path.native(), std::get<std::string>(std::move(text)));
}

}  // namespace sparsecfg::project
