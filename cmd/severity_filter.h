#pragma once

#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cmd/commands.h"
#include "settings.h"

namespace sparsecfg::cmd {

// Which findings of `validate` count, and whether they make it fail: what the command line says comes on
// top of what the project has settled.
class SeverityFilter {
 public:
  // Complains of codes and levels that there are not.
  SeverityFilter(const ValidateOptions& options, std::ostream& err);

  // False where the command line or a project's settings are wrong, which is said already.
  [[nodiscard]] bool valid() const { return valid_; }

  [[nodiscard]] bool failed() const { return failed_; }

  // Drops the findings of a file that do not count.
  void filter(const std::string& path, std::vector<diag::Diagnostic>& diagnostics);
  // The same, and remembers whether what is left makes the run fail.
  void judge(const std::string& path, std::vector<diag::Diagnostic>& diagnostics);

 private:
  void check_code(const std::string& code);
  void reject(const std::string& what, const std::string& why);
  // What the project has settled for a file; null where that can't be read.
  const Settings* settings_of(const std::string& path);

  const ValidateOptions& options_;
  std::ostream& err_;
  std::vector<std::pair<std::string, diag::Severity>> severities_;
  SettingsFinder finder_;
  std::set<std::string> complained_;
  bool valid_ = true;
  bool failed_ = false;
};

}  // namespace sparsecfg::cmd
