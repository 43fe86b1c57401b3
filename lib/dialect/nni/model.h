#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "source/names.h"

namespace sparsecfg::dialect::nni {

// The modules of the model, found by name and by type.
class Model {
 public:
  // Null where the model is not known. The modules must outlive it.
  explicit Model(const std::vector<source::Module>* modules);

  [[nodiscard]] bool known() const { return modules_ != nullptr; }

  [[nodiscard]] std::span<const source::Module> modules() const {
    return modules_ == nullptr ? std::span<const source::Module>() : *modules_;
  }

  // Null where there is none.
  [[nodiscard]] const source::Module* find(std::string_view name) const;
  // In the order of the model.
  [[nodiscard]] std::span<const source::Module* const> of_type(std::string_view type) const;

 private:
  const std::vector<source::Module>* modules_;
  std::unordered_map<std::string_view, const source::Module*> by_name_;
  std::unordered_map<std::string_view, std::vector<const source::Module*>> by_type_;
};

}  // namespace sparsecfg::dialect::nni
