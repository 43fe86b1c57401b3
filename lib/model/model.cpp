#include "model/model.h"

#include <algorithm>

namespace sparsecfg::model {

Model::Model(const std::vector<Module>* modules, const ModelNames* parameters)
    : modules_(modules), parameters_(parameters) {
  for (const Module& module : this->modules()) {
    by_name_.emplace(module.name, &module);
    by_type_[module.type].push_back(&module);
  }
}

std::vector<std::string_view> Model::names() const {
  std::vector<std::string_view> names;
  for (const Module& module : modules()) names.push_back(module.name);
  return names;
}

std::vector<std::string_view> Model::types() const {
  std::vector<std::string_view> types;
  for (const auto& [type, modules] : by_type_) types.push_back(type);
  std::ranges::sort(types);
  return types;
}

const Module* Model::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const Module* Model::of_weight(std::string_view parameter) const {
  return parameter.ends_with(kWeightEnding) ? find(parameter.substr(0, parameter.size() - kWeightEnding.size()))
                                            : nullptr;
}

std::optional<Shape> Model::shape(const std::string& module, const std::string& tensor) const {
  if (const Shape* shape = shape_of(parameters_, module + "." + tensor)) {
    return *shape;
  }
  const Module* known = tensor == "weight" ? find(module) : nullptr;
  return known == nullptr ? std::nullopt : known->shape;
}

bool Model::lacks(const std::string& module, const std::string& tensor) const {
  return parameters_ != nullptr && parameters_->knows(module + ".weight") && !parameters_->knows(module + "." + tensor);
}

std::span<const Module* const> Model::of_type(std::string_view type) const {
  const auto found = by_type_.find(type);
  return found == by_type_.end() ? std::span<const Module* const>() : found->second;
}

}  // namespace sparsecfg::model
