#include "project/model_finder.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/limits.h"
#include "source/load.h"

namespace sparsecfg::project {

using architecture::UserModel;
namespace fs = std::filesystem;

const std::string& ModelFinder::resolve(const std::string& folder, const std::string& path) {
  const auto [known, added] = resolved_.try_emplace(path);
  std::error_code ignored;
  if (added && fs::is_regular_file(path, ignored)) {
    const auto file = source::resolve_below(folder.empty() ? "." : folder, path);
    if (const auto* found = std::get_if<std::string>(&file)) known->second = *found;
  }
  return known->second;
}

// Returns the model that stands for one beyond the limits.
static std::shared_ptr<const UserModel> beyond_limits(const std::string& origin) {
  return UserModel::rejected(
      origin, fmt::format("is not read, because the models of a run are limited to {} modules and {} MiB",
                          limits::kMaxFoundModules, limits::kMaxFoundBytes >> 20U));
}

ModelFinder::Model ModelFinder::kept(const std::string& key, const std::string& origin, auto build) {
  if (no_models_.contains(key)) {
    return nullptr;
  }
  if (Model known = cache_.find(key)) {
    return known;
  }
  const bool within = budget_.exceeded() == base::Budget::Limit::none;
  if (within) cache_.make_room();
  Model built = within ? build() : nullptr;
  if (budget_.exceeded() != base::Budget::Limit::none) {
    return beyond_limits(origin);
  }
  if (built == nullptr) {
    no_models_.insert(key);
    return nullptr;
  }
  static_cast<void>(budget_.spend(built->size()));
  cache_.add(key, built);
  return built;
}

ModelFinder::Model ModelFinder::of_file(const std::string& file, const std::string& path) {
  return kept("file " + file, path, [&]() -> Model {
    const source::Loaded text = source::read_file(file, limits::kMaxProjectBytes);
    const auto* content = std::get_if<std::string>(&text);
    if (content == nullptr || !budget_.allocate(content->size())) return nullptr;
    return UserModel::of_config(*content, path);
  });
}

std::shared_ptr<const UserModel> ModelFinder::find(const std::string& recipe, const std::string& reference) {
  if (recipe == "-") {
    return nullptr;
  }
  const fs::path folder = fs::path(recipe).parent_path();
  const bool is_path = reference.empty() || reference.starts_with("./") || reference.starts_with("../");
  const std::scoped_lock lock(mutex_);
  if (!is_path) {
    if (Model known = kept("id " + reference, reference, [&] { return UserModel::of_id(reference); })) return known;
  }
  if (fs::path(reference).is_absolute()) {
    return nullptr;
  }
  if (reference.empty() && recipe.ends_with(".json")) {  // a `config.json` may have another name
    const Model own = of_file(recipe, recipe);
    if (own != nullptr && own->rejection().empty()) return own;
  }
  const std::string path = (folder / reference / "config.json").lexically_normal().native();
  const std::string& file = resolve(folder.native(), path);
  return file.empty() ? nullptr : of_file(file, path);
}

}  // namespace sparsecfg::project
