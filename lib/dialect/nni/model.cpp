#include "dialect/nni/model.h"

#include <algorithm>

namespace sparsecfg::dialect::nni {

Model::Model(const std::vector<model::Module>* modules, const model::ModelNames* parameters)
    : modules_(modules), parameters_(parameters) {
  for (const model::Module& module : this->modules()) {
    by_name_.emplace(module.name, &module);
    by_type_[module.type].push_back(&module);
  }
}

std::vector<std::string_view> Model::names() const {
  std::vector<std::string_view> names;
  for (const model::Module& module : modules()) names.push_back(module.name);
  return names;
}

std::vector<std::string_view> Model::types() const {
  std::vector<std::string_view> types;
  for (const auto& [type, modules] : by_type_) types.push_back(type);
  std::ranges::sort(types);
  return types;
}

const model::Module* Model::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::optional<model::Shape> Model::shape(const std::string& module, const std::string& tensor) const {
  if (parameters_ != nullptr) {
    const auto matched = parameters_->matched({model::Term::Kind::exact, module + "." + tensor, {}});
    const bool found = !matched.ranges.empty();
    const model::Shape* shape = found ? parameters_->shape(matched.ranges.front().first) : nullptr;
    if (shape != nullptr) return *shape;
  }
  const model::Module* known = tensor == "weight" ? find(module) : nullptr;
  return known == nullptr ? std::nullopt : known->shape;
}

bool Model::lacks(const std::string& module, const std::string& tensor) const {
  return parameters_ != nullptr && parameters_->knows(module + ".weight") && !parameters_->knows(module + "." + tensor);
}

std::span<const model::Module* const> Model::of_type(std::string_view type) const {
  const auto found = by_type_.find(type);
  return found == by_type_.end() ? std::span<const model::Module* const>() : found->second;
}

}  // namespace sparsecfg::dialect::nni
