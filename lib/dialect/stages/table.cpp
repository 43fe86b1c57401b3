#include "dialect/stages/table.h"

#include <algorithm>

namespace sparsecfg::dialect::stages {

const ModifierSpec* Table::find(std::string_view modifier) const {
  const auto found = std::ranges::lower_bound(modifiers, modifier, {}, &ModifierSpec::name);
  return found == modifiers.end() || found->name != modifier ? nullptr : &*found;
}

const FieldSpec* Table::find(const ModifierSpec& modifier, std::string_view field) const {
  for (const std::span<const FieldSpec> part : {modifier.fields, common}) {
    const auto found = std::ranges::find(part, field, &FieldSpec::name);
    if (found != part.end()) {
      return &*found;
    }
  }
  return nullptr;
}

}  // namespace sparsecfg::dialect::stages
