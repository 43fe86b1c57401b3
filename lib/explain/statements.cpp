#include <algorithm>

#include "base/version.h"
#include "explain/parts.h"

namespace sparsecfg::explain {

// Returns the second column of the row of a code: "sparseml.md#c3-5 distiller.md#c3-3". Empty if there is no row.
static std::string_view row_of(std::string_view code) {
  for (std::string_view rest = kStatementsOfRules; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(code) && line.substr(code.size()).starts_with('\t')) return line.substr(code.size() + 1);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return {};
}

// Returns the address of "sparseml.md#c3-5" on the site, or its path in the repository if the build has no site.
static std::string address_of(std::string_view statement) {
  const std::string site = base::docs_address();
  if (site.empty()) return "docs/semantics/" + std::string(statement);
  const std::size_t page = statement.find(".md#");
  return site + "semantics/" + std::string(statement.substr(0, page)) + "/" + std::string(statement.substr(page + 3));
}

std::string statements_of(std::string_view code) {
  std::string out;
  for (std::string_view rest = row_of(code); !rest.empty();) {
    const std::string_view statement = rest.substr(0, rest.find(' '));
    out += (out.empty() ? "" : ", ") + address_of(statement);
    rest.remove_prefix(std::min(statement.size() + 1, rest.size()));
  }
  return out;
}

}  // namespace sparsecfg::explain
