#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/names.h"

namespace sparsecfg::model {

// The modules of a model by name. Rules that look up many names build it once, because the time of a search in the list
// grows with the model.
class ModuleIndex {
 public:
  // The modules must outlive this object.
  explicit ModuleIndex(std::span<const Module> modules);

  // Returns the first module with this name, or null.
  [[nodiscard]] const Module* find(std::string_view name) const;

  // Returns the modules inside a module, at any depth, sorted by name.
  [[nodiscard]] std::span<const Module* const> inside(std::string_view name) const;

 private:
  std::vector<const Module*> sorted_;  // equal names in the order of the model
};

}  // namespace sparsecfg::model
