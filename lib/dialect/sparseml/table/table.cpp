#include "dialect/sparseml/table/table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "dialect/sparseml/table/parts.h"

namespace sparsecfg::dialect::sparseml {

const FieldSpec* ModifierSpec::find(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &FieldSpec::name);
  return found == fields.end() ? nullptr : &*found;
}

std::string_view name_of(Framework framework) {
  switch (framework) {
    case Framework::pytorch: return "PyTorch";
    case Framework::keras: return "Keras";
    case Framework::tensorflow: return "TensorFlow";
    case Framework::pytorch_2020: return "PyTorch in 2020";
  }
  return {};
}

static std::vector<std::span<const ModifierSpec>> own_parts(Framework framework) {
  switch (framework) {
    case Framework::pytorch: return {training_modifiers(), pruning_modifiers(), quantization_modifiers()};
    case Framework::keras:
    case Framework::tensorflow: return {tensorflow_modifiers()};
    case Framework::pytorch_2020: return {modifiers_of_2020()};
  }
  return {};
}

static std::vector<ModifierSpec> table_of(Framework framework) {
  std::vector<ModifierSpec> all;
  for (const auto part : own_parts(framework)) {
    all.insert(all.end(), part.begin(), part.end());
  }
  for (const auto part : own_parts(Framework::pytorch)) {
    std::ranges::copy_if(part, std::back_inserter(all), [&](const ModifierSpec& spec) {
      return std::ranges::find(spec.inherited_by, framework) != spec.inherited_by.end();
    });
  }
  std::ranges::stable_sort(all, {}, &ModifierSpec::name);
  return all;
}

std::span<const ModifierSpec> modifiers(Framework framework) {
  static const std::array<std::vector<ModifierSpec>, 4> kTables = {
      table_of(Framework::pytorch), table_of(Framework::keras), table_of(Framework::tensorflow),
      table_of(Framework::pytorch_2020)};
  return kTables[static_cast<std::size_t>(framework)];
}

std::span<const ModifierSpec> find_modifiers(Framework framework, std::string_view name) {
  const auto all = modifiers(framework);
  const auto first = std::ranges::lower_bound(all, name, {}, &ModifierSpec::name);
  const auto last = std::ranges::upper_bound(all, name, {}, &ModifierSpec::name);
  return {first, last};
}

const ModifierSpec* find_modifier(Framework framework, std::string_view name) {
  const auto all = modifiers(framework);
  const auto first = std::ranges::lower_bound(all, name, {}, &ModifierSpec::name);
  return first == all.end() || first->name != name ? nullptr : &*first;
}

}  // namespace sparsecfg::dialect::sparseml
