#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/model_names.h"
#include "model/names.h"

namespace sparsecfg::model {

// A model: its modules by name and type, and its parameters. Both may be unknown.
class Model {
 public:
  // Null means unknown. Both arguments must outlive the object.
  explicit Model(const std::vector<Module>* modules, const ModelNames* parameters = nullptr);

  [[nodiscard]] bool known() const { return modules_ != nullptr; }

  [[nodiscard]] std::span<const Module> modules() const {
    return modules_ == nullptr ? std::span<const Module>() : *modules_;
  }

  // Returns all module names, or none if the modules are unknown.
  [[nodiscard]] std::vector<std::string_view> names() const;
  // Returns each module type once, in alphabetical order.
  [[nodiscard]] std::vector<std::string_view> types() const;

  // Returns null if the model lacks the module.
  [[nodiscard]] const Module* find(std::string_view name) const;
  // Returns the module of a weight; null for other parameters, or if the model lacks the module.
  [[nodiscard]] const Module* of_weight(std::string_view parameter) const;
  // Returns the shape of a module's parameter, or nullopt if it is unknown.
  [[nodiscard]] std::optional<Shape> shape(const std::string& module, const std::string& tensor) const;
  // Returns true if the model is known to lack a tensor: its parameters include the module's weight, but not the
  // tensor.
  [[nodiscard]] bool lacks(const std::string& module, const std::string& tensor) const;

  // Returns the modules of a type in the order of the model.
  [[nodiscard]] std::span<const Module* const> of_type(std::string_view type) const;

 private:
  const std::vector<Module>* modules_;
  const ModelNames* parameters_;
  std::unordered_map<std::string_view, const Module*> by_name_;
  std::unordered_map<std::string_view, std::vector<const Module*>> by_type_;
};

}  // namespace sparsecfg::model
