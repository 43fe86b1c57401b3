#include "cmd/judge.h"

#include <algorithm>
#include <variant>

#include "cmd/reading.h"

namespace sparsecfg::cmd {

Judge::Judge(const ValidateOptions& options, std::ostream& err) : options_(options), err_(err) {
  for (const auto& codes : {options.select, options.ignore}) {
    std::ranges::for_each(codes, [&](const std::string& code) { check_code(code); });
  }
  for (const std::string& assignment : options.severity) {
    const std::size_t equals = std::min(assignment.find('='), assignment.size());
    const auto severity =
        diag::read_severity(std::string_view(assignment).substr(std::min(equals + 1, assignment.size())));
    check_code(assignment.substr(0, equals));
    if (severity) {
      severities_.emplace_back(assignment.substr(0, equals), *severity);
    } else {
      refuse("--severity " + assignment, "write CODE=error, CODE=warning or CODE=info");
    }
  }
}

void Judge::sift(const std::string& path, std::vector<diag::Diagnostic>& diagnostics) {
  const Settings* settings = settings_of(path);
  if (settings == nullptr) {
    return;
  }
  diag::Levels levels = settings->levels;
  levels.select = options_.select.empty() ? levels.select : options_.select;
  levels.ignore.insert(levels.ignore.end(), options_.ignore.begin(), options_.ignore.end());
  levels.severities.insert(levels.severities.end(), severities_.begin(), severities_.end());
  levels.apply(diagnostics);
}

void Judge::judge(const std::string& path, std::vector<diag::Diagnostic>& diagnostics) {
  sift(path, diagnostics);
  if (const Settings* settings = settings_of(path)) {
    const diag::Severity least = options_.fail_on.value_or(settings->fail_on.value_or(diag::Severity::error));
    failed_ |= std::ranges::any_of(diagnostics, [&](const diag::Diagnostic& each) { return each.severity <= least; });
  }
}

const Settings* Judge::settings_of(const std::string& path) {
  const auto& found = finder_.of(path);
  if (const auto* error = std::get_if<SettingsError>(&found)) {
    if (complained_.insert(error->path).second) refuse(error->path, error->reason);
    return nullptr;
  }
  return &std::get<Settings>(found);
}

void Judge::check_code(const std::string& code) {
  if (!diag::names_any(code)) refuse(code, "there is no such diagnostic; `sparsecfg explain codes` lists them");
}

void Judge::refuse(const std::string& what, const std::string& why) {
  complain(err_, what, why);
  sound_ = false;
}

}  // namespace sparsecfg::cmd
