#include "dialect/nni/model.h"

namespace sparsecfg::dialect::nni {

Model::Model(const std::vector<source::Module>* modules, const ir::ModelNames* parameters)
    : modules_(modules), parameters_(parameters) {
  for (const source::Module& module : this->modules()) {
    by_name_.emplace(module.name, &module);
    by_type_[module.type].push_back(&module);
  }
}

const source::Module* Model::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::optional<source::Shape> Model::shape(const std::string& module, const std::string& tensor) const {
  if (parameters_ != nullptr) {
    const auto matched = parameters_->matched({ir::Term::Kind::exact, module + "." + tensor, {}});
    const bool found = !matched.stretches.empty();
    const source::Shape* shape = found ? parameters_->shape(matched.stretches.front().first) : nullptr;
    if (shape != nullptr) return *shape;
  }
  const source::Module* known = tensor == "weight" ? find(module) : nullptr;
  return known == nullptr ? std::nullopt : known->shape;
}

bool Model::lacks(const std::string& module, const std::string& tensor) const {
  return parameters_ != nullptr && parameters_->knows(module + ".weight") && !parameters_->knows(module + "." + tensor);
}

std::span<const source::Module* const> Model::of_type(std::string_view type) const {
  const auto found = by_type_.find(type);
  return found == by_type_.end() ? std::span<const source::Module* const>() : found->second;
}

}  // namespace sparsecfg::dialect::nni
