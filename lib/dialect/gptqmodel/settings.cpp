#include "dialect/gptqmodel/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::gptqmodel {

using source::Value;

// Returns the pattern of `dynamic` for an entry of such a list: a pattern as it is, and a name anywhere in full
// names, because patterns match from their start.
static std::string skipped_pattern(std::string_view entry) {
  if (entry.starts_with("re:")) return std::string(entry.substr(3));
  const bool plain = std::ranges::all_of(entry, [](char c) { return base::is_name_letter(c) || c == '.' || c == '-'; });
  return plain ? fmt::format(".*{}.*", regex::literal(entry)) : std::string(entry);
}

// Adds the names in a list, or in lists in it. Returns false for other values.
static bool add_names(const Value& value, std::vector<std::string>& out) {
  const auto* list = value.get<source::List>();
  if (list != nullptr) return std::ranges::all_of(*list, [&](const Value& each) { return add_names(each, out); });
  const auto* name = value.get<std::string>();
  if (name == nullptr || name->find('\'') != std::string::npos) return false;
  out.push_back(*name);
  return true;
}

void offer_skipped(diag::Diagnostic& report, const Setting& setting) {
  static constexpr std::string_view kSkipped[] = {"ignore",       "exclude",        "modules_to_not_convert",
                                                  "skip_modules", "ignored_layers", "exclude_modules"};
  static constexpr std::string_view kSelected[] = {"modules_in_block_to_quantize", "inside_layer_modules",
                                                   "modules_to_quantize", "target_modules", "targets"};
  const bool skips = base::contains(kSkipped, std::string_view(setting.name));
  const bool selects = base::contains(kSelected, std::string_view(setting.name));
  std::vector<std::string> names;
  if ((!skips && !selects) || !add_names(setting.value, names) || names.empty()) return;
  std::vector<std::string> entries;
  for (const std::string& name : names) entries.push_back(skips ? skipped_pattern(name) : regex::literal(name));
  const std::string text = skips ? fmt::format("{{'-:{}': {{}}}}", fmt::join(entries, "': {}, '-:"))
                                 : fmt::format("{{'-:^(?!.*({})$)': {{}}}}", fmt::join(entries, "|"));
  report.with_help(fmt::format("write `dynamic: {}`{}", text, skips ? "" : ", which skips all other layers"))
      .with_fix(diag::Fix::unsafe().content(setting.key, "dynamic").replace(setting.value.span, text));
}

}  // namespace sparsecfg::dialect::gptqmodel
