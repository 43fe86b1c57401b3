#include "diag/levels.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::diag {

static bool names(std::string_view text, const Info& info) {
  return !text.empty() && (info.code.starts_with(base::to_upper(text)) || info.name == base::to_lower(text));
}

static bool any_names(const std::vector<std::string>& texts, const Info& info) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return names(text, info); });
}

void Levels::apply(std::vector<Diagnostic>& diagnostics) const {
  std::erase_if(diagnostics, [&](const Diagnostic& diagnostic) {
    return (!select.empty() && !any_names(select, *diagnostic.info)) || any_names(ignore, *diagnostic.info);
  });
  for (Diagnostic& diagnostic : diagnostics) {
    for (const auto& [text, severity] : severities) {
      if (names(text, *diagnostic.info)) diagnostic.severity = severity;
    }
  }
}

bool names_any(std::string_view text) {
  return std::ranges::any_of(catalog(), [&](const Info* info) { return names(text, *info); });
}

std::optional<Severity> read_severity(std::string_view text) {
  for (const Severity severity : {Severity::error, Severity::warning, Severity::info}) {
    if (text == to_string(severity)) return severity;
  }
  return std::nullopt;
}

}  // namespace sparsecfg::diag
