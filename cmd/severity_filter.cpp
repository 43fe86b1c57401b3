#include "cmd/severity_filter.h"

#include <algorithm>
#include <variant>

#include "cmd/reading.h"

namespace sparsecfg::cmd {

SeverityFilter::SeverityFilter(const ValidateOptions& options, std::ostream& err) : options_(options), err_(err) {
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
      reject("--severity " + assignment, "write CODE=error, CODE=warning or CODE=info");
    }
  }
}

void SeverityFilter::filter(const std::string& path, std::vector<diag::Diagnostic>& diagnostics) {
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

void SeverityFilter::judge(const std::string& path, std::vector<diag::Diagnostic>& diagnostics) {
  filter(path, diagnostics);
  if (const Settings* settings = settings_of(path)) {
    const diag::Severity min = options_.fail_on.value_or(settings->fail_on.value_or(diag::Severity::error));
    failed_ |= std::ranges::any_of(diagnostics, [&](const diag::Diagnostic& each) { return each.severity <= min; });
  }
}

const Settings* SeverityFilter::settings_of(const std::string& path) {
  const auto& found = finder_.of(path);
  if (const auto* error = std::get_if<SettingsError>(&found)) {
    if (complained_.insert(error->path).second) reject(error->path, error->reason);
    return nullptr;
  }
  return &std::get<Settings>(found);
}

void SeverityFilter::check_code(const std::string& code) {
  if (!diag::names_any(code)) reject(code, "there is no such diagnostic; `sparsecfg explain codes` lists them");
}

void SeverityFilter::reject(const std::string& what, const std::string& why) {
  complain(err_, what, why);
  valid_ = false;
}

}  // namespace sparsecfg::cmd
