#include "dialect/sparseml/table.h"

#include <algorithm>
#include <vector>

#include "dialect/sparseml/table_parts.h"

namespace sparsecfg::dialect::sparseml {

const FieldSpec* ModifierSpec::find(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &FieldSpec::name);
  return found == fields.end() ? nullptr : &*found;
}

static std::vector<ModifierSpec> join_parts() {
  std::vector<ModifierSpec> all;
  for (const auto part : {training_modifiers(), pruning_modifiers(), quantization_modifiers()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  std::ranges::stable_sort(all, {}, &ModifierSpec::name);
  return all;
}

std::span<const ModifierSpec> modifiers() {
  static const std::vector<ModifierSpec> kAll = join_parts();
  return kAll;
}

const ModifierSpec* find_modifier(std::string_view name) {
  const auto found = std::ranges::lower_bound(modifiers(), name, {}, &ModifierSpec::name);
  return found == modifiers().end() || found->name != name ? nullptr : &*found;
}

const ModifierSpec& legacy_quantization() {
  return *std::ranges::find(modifiers(), Meaning::legacy_quantization, &ModifierSpec::meaning);
}

}  // namespace sparsecfg::dialect::sparseml
