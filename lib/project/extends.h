#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "project/settings.h"

// Config files that other config files extend.
namespace sparsecfg::project {

// The chain of config files from the one of the project to the one that is being read. All chains that start at the
// same file share a budget, because a tree of few files has many chains.
class Extending {
 public:
  // Starts with the config file of a project.
  explicit Extending(const std::string& path);

  // Reads the file that a config file extends. If that file must not be read, the path of the error is empty: the error
  // belongs to the place that names the file.
  //
  // Each file counts each time that it is read. The file must be a regular `.yaml` or `.yml` file in the project,
  // because errors quote its lines.
  [[nodiscard]] ReadSettings read(const std::string& from, const std::string& name) const;

 private:
  std::vector<std::string> chain_;
  std::shared_ptr<base::Budget> budget_;  // a step for each file that is read
  std::string project_;                   // the repository of the config file, or its folder
};

// Parses the text of a config file in a chain.
[[nodiscard]] ReadSettings read_extending(const std::string& path, std::string text, const Extending& extending);

}  // namespace sparsecfg::project
