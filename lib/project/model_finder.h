#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include "architecture/model_cache.h"
#include "architecture/user_model.h"
#include "base/budget.h"
#include "base/limit_table.h"

namespace sparsecfg::project {

// Finds the models that recipes refer to without an option. All models of a run share one budget and one cache, because
// a small `config.json` can describe a large model. Thread-safe.
class ModelFinder {
 public:
  // `limits` has the modules of the models that are built as steps, and the bytes of their files.
  explicit ModelFinder(const base::Budget::Limits& limits) : budget_(limits) {}

  // Returns the model of a folder or id that the script at `recipe` names, or, for an empty reference, of the
  // `config.json` next to the recipe. Returns null if there is none. A model beyond the limits has a rejection. Only
  // reads files below the folder of the recipe.
  [[nodiscard]] std::shared_ptr<const architecture::UserModel> find(const std::string& recipe,
                                                                    const std::string& reference);

 private:
  using Model = std::shared_ptr<const architecture::UserModel>;

  // Returns the path of a file below a folder with all links resolved; empty if it can't be read.
  [[nodiscard]] const std::string& resolve(const std::string& folder, const std::string& path);
  [[nodiscard]] Model of_file(const std::string& file, const std::string& path);
  // Returns a model of the cache, or builds it with `build(text)` and keeps it.
  [[nodiscard]] Model kept(const std::string& key, const std::string& origin, auto build);

  std::mutex mutex_;
  base::Budget budget_;  // steps: modules
  architecture::ModelCache cache_{limits::kMaxKeptModules};
  std::map<std::string, std::string> resolved_;  // by path; empty: there is no such file
  std::unordered_set<std::string> no_models_;    // files without a model and unknown ids
};

}  // namespace sparsecfg::project
