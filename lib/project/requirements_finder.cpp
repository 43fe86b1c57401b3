#include "project/requirements_finder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/limits.h"
#include "platform/files.h"
#include "project/settings.h"
#include "source/load.h"

namespace sparsecfg::project {

namespace fs = std::filesystem;

constexpr std::string_view kRequirementFiles[] = {"uv.lock",         "poetry.lock",     "pdm.lock",
                                                  "Pipfile.lock",    "pyproject.toml",  "setup.cfg",
                                                  "environment.yml", "environment.yaml"};
constexpr std::string_view kLastLock = "Pipfile.lock";  // requirements*.txt follow the lock files

static bool is_requirements(const std::string& name) {
  return name.starts_with("requirements") && name.ends_with(".txt");
}

bool has_requirements(const std::string& path) {
  const std::string name = fs::path(path).filename().native();
  return is_requirements(name) || std::ranges::find(kRequirementFiles, name) != std::end(kRequirementFiles);
}

// Returns the files with requirements in a folder, in the order of their precedence.
static std::vector<fs::path> files_in(const fs::path& folder) {
  constexpr std::size_t kMaxEntries = 10'000;
  std::error_code error;
  std::vector<std::string> listed;
  std::size_t count = 0;
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator() && ++count < kMaxEntries; entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    if (is_requirements(name)) listed.push_back(name);
  }
  std::ranges::sort(listed, {}, [](const std::string& name) { return std::pair(name.size(), name); });
  std::vector<fs::path> out;
  for (const std::string_view name : kRequirementFiles) {
    if (fs::is_regular_file(folder / name, error)) out.push_back(folder / name);
    if (name == kLastLock)
      std::ranges::transform(listed, std::back_inserter(out), [&](auto& each) { return folder / each; });
  }
  return out;
}

static bool is_root(const fs::path& folder) {
  std::error_code ignored;
  const char* home = std::getenv("HOME");
  return folder == folder.parent_path() || fs::exists(folder / ".git", ignored) ||
         (home != nullptr && folder == fs::path(home).lexically_normal());
}

const Requirements& RequirementsFinder::of_folder(const std::string& folder) {
  const auto [known, added] = folders_.try_emplace(folder);
  for (const fs::path& path : added ? files_in(folder) : std::vector<fs::path>()) {
    if (platform::is_writable_by_others(path.native())) continue;
    const auto file = source::resolve_below(folder, path.native());
    const auto* resolved = std::get_if<std::string>(&file);
    source::Loaded text = resolved == nullptr ? source::Loaded(std::get<source::LoadError>(file))
                                              : source::read_file(*resolved, limits::kMaxProjectBytes);
    if (const auto* content = std::get_if<std::string>(&text)) {
      known->second.add(requirements_in(*content, path.filename().native()));
    }
  }
  return known->second;
}

Requirements RequirementsFinder::of(const std::string& recipe) {
  Requirements out;
  if (recipe.empty() || recipe == "-") {
    return out;
  }
  const std::scoped_lock lock(mutex_);
  constexpr int kMaxParents = 16;
  fs::path folder = absolute_path(recipe).parent_path();
  for (int up = 0; up < kMaxParents; ++up, folder = folder.parent_path()) {
    out.add(of_folder(folder.native()));
    if (is_root(folder)) break;
  }
  return out;
}

}  // namespace sparsecfg::project
