#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "architecture/user_model.h"

namespace sparsecfg::project {

// Finds the models that recipes refer to without an option. Reads each file and derives each model once. Thread-safe.
class ModelFinder {
 public:
  // Returns the model of a folder or id that the script at `recipe` names, or, for an empty reference, of the
  // `config.json` next to the recipe. Returns null if there is none. Only reads files below the folder of the recipe.
  [[nodiscard]] std::shared_ptr<const architecture::UserModel> find(const std::string& recipe,
                                                                    const std::string& reference);

 private:
  [[nodiscard]] std::shared_ptr<const architecture::UserModel> read(const std::string& folder, const std::string& path);

  std::mutex mutex_;
  // Null: there is no such model. Ids have their own map, because an id can have the same text as a path.
  std::map<std::string, std::shared_ptr<const architecture::UserModel>> ids_;
  std::map<std::string, std::shared_ptr<const architecture::UserModel>> known_;  // by path
};

}  // namespace sparsecfg::project
