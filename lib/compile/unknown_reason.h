#pragma once

#include <string>

#include "diag/diagnostic.h"

namespace sparsecfg {

// Returns why a value is not known, from a finding with the message "this value is not checked: REASON".
[[nodiscard]] inline std::string unknown_reason(const diag::Diagnostic& finding) {
  return finding.message.substr(finding.message.find(": ") + 2);
}

}  // namespace sparsecfg
