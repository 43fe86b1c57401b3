#pragma once

#include <map>
#include <mutex>
#include <string>

#include "compile/requirement.h"

namespace sparsecfg::project {

// Returns true for the path of a file that can require a release.
[[nodiscard]] bool has_requirements(const std::string& path);

// Finds the requirements of projects. Reads the files of each folder once. Thread-safe.
class RequirementsFinder {
 public:
  // Returns the requirements for a recipe: for each package those of the nearest folder that has one, from the folder
  // of the recipe up to the root of the project, which contains `.git` or is the home of the user.
  [[nodiscard]] Requirements of(const std::string& recipe);

 private:
  [[nodiscard]] const Requirements& of_folder(const std::string& folder);

  std::mutex mutex_;
  std::map<std::string, Requirements> folders_;
};

}  // namespace sparsecfg::project
