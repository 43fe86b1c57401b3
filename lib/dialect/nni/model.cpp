#include "dialect/nni/model.h"

namespace sparsecfg::dialect::nni {

Model::Model(const std::vector<source::Module>* modules) : modules_(modules) {
  for (const source::Module& module : this->modules()) {
    by_name_.emplace(module.name, &module);
    by_type_[module.type].push_back(&module);
  }
}

const source::Module* Model::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::span<const source::Module* const> Model::of_type(std::string_view type) const {
  const auto found = by_type_.find(type);
  return found == by_type_.end() ? std::span<const source::Module* const>() : found->second;
}

}  // namespace sparsecfg::dialect::nni
