#include "project/settings.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/limits.h"
#include "platform/files.h"
#include "source/load.h"

namespace sparsecfg::project {

namespace fs = std::filesystem;

constexpr std::string_view kSettingsName = ".sparsecfg.yaml";

fs::path absolute_path(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal();
}

// Returns true for a symbolic link to a file outside its folder and subfolders. Such files are not read: a link in an
// untrusted repository could point to a private file of the user, whose contents would appear in error messages.
static bool links_outside(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.parent_path(), error);
  const fs::path file = error ? fs::path() : fs::canonical(path, error);
  return !error && fs::is_symlink(path, error) && file.lexically_relative(folder).native().starts_with("..");
}

// Returns true if the search for config files ends at this folder.
static bool is_last_folder(const std::string& folder) {
  std::error_code ignored;
  const char* home = std::getenv("HOME");
  return folder.size() <= 1 || !folder.starts_with('/') || fs::exists(folder + "/.git", ignored) ||
         (home != nullptr && folder == fs::path(home).lexically_normal().native());
}

// Returns the config file in this folder, or nullopt.
static std::optional<ReadSettings> read_in(const std::string& folder) {
  const fs::path path = fs::path(folder) / kSettingsName;
  std::error_code ignored;
  // A broken symbolic link is an error, not a missing file.
  const fs::file_type type = fs::symlink_status(path, ignored).type();
  if (type == fs::file_type::not_found || type == fs::file_type::none) {
    return std::nullopt;
  }
  if (platform::is_writable_by_others(path.native())) {
    return SettingsError{path.native(), "owned by another user and writable by others; run `chmod go-w` on it"};
  }
  if (links_outside(path)) {
    return SettingsError{path.native(), "symbolic link to a file outside its folder"};
  }
  auto text = source::read_file(path.native(), limits::kMaxSettingsBytes);
  if (const auto* failure = std::get_if<source::LoadError>(&text)) {
    return SettingsError{path.native(), failure->reason};
  }
  return read_settings(path.native(), std::get<std::string>(std::move(text)));
}

// No system opens a file by a longer path, so such a file does not get settings.
constexpr std::size_t kMaxPath = 4096;

const ReadSettings& SettingsFinder::of(const std::string& path) {
  if (path.size() > kMaxPath) {
    return read_.front();
  }
  const std::size_t name = path.rfind('/') + 1;  // 0 without `/`
  if (path.find_first_not_of('.', name) == std::string::npos) {
    return of_folder(absolute_path(path).parent_path().native());
  }
  const auto [known, added] = by_written_folder_.try_emplace(path.substr(0, name), nullptr);
  if (added) {
    known->second = &of_folder(absolute_path(path == "-" ? "./-" : path).parent_path().native());
  }
  return *known->second;
}

// Goes up without recursion and with strings, since a path may have thousands of parts.
const ReadSettings& SettingsFinder::of_folder(std::string folder) {
  std::vector<std::string> passed;
  const ReadSettings* found = nullptr;
  while (found == nullptr) {
    if (const auto known = known_.find(folder); known != known_.end()) {
      found = known->second;
    } else if (auto read = read_in(folder)) {
      found = &read_.emplace_back(*std::move(read));
    } else if (is_last_folder(folder)) {
      found = &read_.front();
    }
    passed.push_back(folder);
    folder.resize(std::max<std::size_t>(std::min(folder.rfind('/'), folder.size()), 1));
  }
  for (std::string& each : passed) known_.emplace(std::move(each), found);
  return *found;
}

}  // namespace sparsecfg::project
