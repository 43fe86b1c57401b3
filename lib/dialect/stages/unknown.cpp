#include "dialect/stages/unknown.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/schemes/language.h"

namespace sparsecfg::dialect::stages {

// Fields that decide which modules an operation changes, and in which format. `**` stands for arguments whose names are
// unknown.
constexpr std::string_view kDeciding[] = {"targets", "ignore", "scheme", "config_groups", "mappings", "**"};
constexpr std::string_view kFormats[] = {"scheme", "config_groups"};

static const Field* unknown_field(const Record& modifier, std::span<const std::string_view> names) {
  const auto is_unknown = [&](const Field& field) { return field.unknown && base::contains(names, field.name); };
  const auto found = std::ranges::find_if(modifier.fields, is_unknown);
  return found == modifier.fields.end() ? nullptr : &*found;
}

bool has_unknown_rules(const Record& modifier) { return unknown_field(modifier, kDeciding) != nullptr; }

void mark_unknown(const Record& modifier, const ir::Method& method, std::vector<ir::Operation>& operations) {
  const Field* format = operations.empty() ? unknown_field(modifier, kFormats) : nullptr;
  if (format != nullptr) {
    const ir::Rule rule{.entry = format->name, .span = format->key};
    operations.emplace_back(ir::Assign{{&schemes::kSchemeLanguage, {rule}}, {ir::Scheme()}, method});
  }
  for (ir::Operation& operation : operations) {
    for (ir::Rule& rule : ir::selection_of(operation).rules) rule.unknown = true;
  }
}

}  // namespace sparsecfg::dialect::stages
