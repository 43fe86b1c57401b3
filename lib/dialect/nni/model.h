#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/model_names.h"
#include "source/names.h"

namespace sparsecfg::dialect::nni {

// The modules of the model, found by name and by type.
class Model {
 public:
  // Null is what is not known. Both must outlive it.
  explicit Model(const std::vector<source::Module>* modules, const ir::ModelNames* parameters = nullptr);

  [[nodiscard]] bool known() const { return modules_ != nullptr; }

  [[nodiscard]] std::span<const source::Module> modules() const {
    return modules_ == nullptr ? std::span<const source::Module>() : *modules_;
  }

  // Empty if the modules are not known.
  [[nodiscard]] std::vector<std::string_view> names() const;
  // Each once, in alphabetical order.
  [[nodiscard]] std::vector<std::string_view> types() const;

  // Null where there is none.
  [[nodiscard]] const source::Module* find(std::string_view name) const;
  // The shape of a module's parameter. Returns nullopt if it is not known.
  [[nodiscard]] std::optional<source::Shape> shape(const std::string& module, const std::string& tensor) const;
  // Returns true if the parameters are known, the module's weight is one of them and the tensor is not.
  [[nodiscard]] bool lacks(const std::string& module, const std::string& tensor) const;

  // In the order of the model.
  [[nodiscard]] std::span<const source::Module* const> of_type(std::string_view type) const;

 private:
  const std::vector<source::Module>* modules_;
  const ir::ModelNames* parameters_;
  std::unordered_map<std::string_view, const source::Module*> by_name_;
  std::unordered_map<std::string_view, std::vector<const source::Module*>> by_type_;
};

}  // namespace sparsecfg::dialect::nni
