#include "project/model_finder.h"

#include <filesystem>

#include "base/limits.h"
#include "source/load.h"

namespace sparsecfg::project {

using architecture::UserModel;
namespace fs = std::filesystem;

std::shared_ptr<const UserModel> ModelFinder::read(const std::string& folder, const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    return nullptr;
  }
  const auto file = source::resolve_below(folder.empty() ? "." : folder, path);
  const auto* resolved = std::get_if<std::string>(&file);
  source::Loaded text = resolved == nullptr ? source::Loaded(std::get<source::LoadError>(file))
                                            : source::read_file(*resolved, limits::kMaxProjectBytes);
  const auto* content = std::get_if<std::string>(&text);
  return content == nullptr ? nullptr : UserModel::of_config(*content, path);
}

std::shared_ptr<const UserModel> ModelFinder::find(const std::string& recipe, const std::string& reference) {
  if (recipe == "-") {
    return nullptr;
  }
  const fs::path folder = fs::path(recipe).parent_path();
  const bool is_path = reference.empty() || reference.starts_with("./") || reference.starts_with("../");
  const std::scoped_lock lock(mutex_);
  if (!is_path) {
    const auto [known, added] = ids_.try_emplace(reference);
    if (added) known->second = UserModel::of_id(reference);
    if (known->second != nullptr) return known->second;
  }
  if (fs::path(reference).is_absolute()) {
    return nullptr;
  }
  const std::string path = (folder / reference / "config.json").lexically_normal().native();
  const auto [known, added] = known_.try_emplace(path);
  if (added) known->second = read(folder.native(), path);
  return known->second;
}

}  // namespace sparsecfg::project
