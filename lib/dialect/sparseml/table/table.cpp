#include "dialect/sparseml/table/table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "dialect/sparseml/table/fields.h"

namespace sparsecfg::dialect::sparseml {

std::string_view name_of(Framework framework) {
  switch (framework) {
    case Framework::pytorch: return "PyTorch";
    case Framework::keras: return "Keras";
    case Framework::tensorflow: return "TensorFlow";
    case Framework::pytorch_2020: return "PyTorch in 2020";
  }
  return {};
}

static std::vector<std::span<const ClassSpec>> own_parts(Framework framework) {
  switch (framework) {
    case Framework::pytorch: return {training_modifiers(), pruning_modifiers(), quantization_modifiers()};
    case Framework::keras:
    case Framework::tensorflow: return {tensorflow_modifiers()};
    case Framework::pytorch_2020: return {modifiers_of_2020()};
  }
  return {};
}

static std::vector<ClassSpec> table_of(Framework framework) {
  std::vector<ClassSpec> all;
  for (const auto part : own_parts(framework)) {
    all.insert(all.end(), part.begin(), part.end());
  }
  for (const auto part : own_parts(Framework::pytorch)) {
    std::ranges::copy_if(part, std::back_inserter(all),
                         [&](const ClassSpec& spec) { return inherits(framework, spec); });
  }
  std::ranges::stable_sort(all, {}, &ClassSpec::name);
  return all;
}

std::span<const ClassSpec> modifiers(Framework framework) {
  static const std::array<std::vector<ClassSpec>, 4> kTables = {
      table_of(Framework::pytorch), table_of(Framework::keras), table_of(Framework::tensorflow),
      table_of(Framework::pytorch_2020)};
  return kTables[static_cast<std::size_t>(framework)];
}

std::span<const ClassSpec> find_modifiers(Framework framework, std::string_view name) {
  const auto all = modifiers(framework);
  const auto first = std::ranges::lower_bound(all, name, {}, &ClassSpec::name);
  const auto last = std::ranges::upper_bound(all, name, {}, &ClassSpec::name);
  return {first, last};
}

const ClassSpec* find_modifier(Framework framework, std::string_view name) {
  const auto all = modifiers(framework);
  const auto first = std::ranges::lower_bound(all, name, {}, &ClassSpec::name);
  return first == all.end() || first->name != name ? nullptr : &*first;
}

}  // namespace sparsecfg::dialect::sparseml
