#include "project/custom_proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "dialect/dialect.h"

namespace sparsecfg::project {

// Returns the longest name of a class in the dialect that ends the name, or an empty string.
static std::string known_end_of(std::string_view name, std::string_view dialect_name) {
  const dialect::Dialect* dialect = dialect::find_dialect(dialect_name);
  std::string out;
  const auto pages = dialect == nullptr || dialect->pages == nullptr ? std::vector<dialect::Page>() : dialect->pages();
  for (const dialect::Page& page : pages) {
    if (name.ends_with(page.name) && page.name.size() > out.size()) out = page.name;
  }
  return out;
}

static std::string_view class_in(std::string_view written) {
  const auto is_word = [](char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; };
  while (!written.empty() && !is_word(written.front())) written.remove_prefix(1);
  while (!written.empty() && !is_word(written.back())) written.remove_suffix(1);
  return std::ranges::all_of(written, is_word) ? written : std::string_view();
}

std::string propose_custom(const std::vector<const Compilation*>& compilations) {
  std::map<std::string, std::string> likes;
  for (const Compilation* compilation : compilations) {
    for (const diag::Diagnostic& finding : compilation->diagnostics) {
      const bool unknown = finding.info == &diag::unknown_modifier.info;
      const std::string_view name = unknown ? class_in(compilation->file->text(finding.span)) : std::string_view();
      if (!name.empty()) likes[std::string(name)] = known_end_of(name, compilation->dialect.value_or(""));
    }
  }
  std::string out = likes.empty() ? "" : "custom:\n";
  for (const auto& [name, like] : likes) {
    out += like.empty() ? fmt::format("  {}: {{fields: any}}\n", name)
                        : fmt::format("  {}: {{like: {}, fields: any}}\n", name, like);
  }
  return out;
}

}  // namespace sparsecfg::project
