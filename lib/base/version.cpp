#include "base/version.h"

#include <cstdlib>

namespace sparsecfg::base {

std::string_view version() { return SPARSECFG_VERSION; }

std::string long_version() {
  const std::string_view commit = SPARSECFG_COMMIT;
  const std::string_view date = SPARSECFG_DATE;
  std::string out(version());
  if (!commit.empty() || !date.empty()) {
    out.append(" (").append(commit).append(commit.empty() || date.empty() ? "" : " ").append(date).append(")");
  }
  return out;
}

std::string docs_address() {
  const char* set = std::getenv("SPARSECFG_DOCS_URL");
  std::string out = set != nullptr ? set : SPARSECFG_DOCS_URL;
  if (!out.empty() && !out.ends_with('/')) out += '/';
  return out;
}

}  // namespace sparsecfg::base
