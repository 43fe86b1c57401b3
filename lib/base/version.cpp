#include "base/version.h"

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
  std::string out = SPARSECFG_DOCS_URL;
  if (!out.empty() && !out.ends_with('/')) out += '/';
  return out;
}

}  // namespace sparsecfg::base
