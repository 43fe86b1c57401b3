#include "convert/weights.h"

#include <unordered_map>

#include "model/model_names.h"

namespace sparsecfg::convert {

using Modules = std::unordered_map<std::string, const model::Module*>;

static Modules modules_by_weight(const std::vector<model::Module>* modules) {
  Modules out;
  for (std::size_t at = 0; modules != nullptr && at < modules->size(); ++at) {
    out.emplace((*modules)[at].name + std::string(kWeightEnding), &(*modules)[at]);
  }
  return out;
}

// Returns true if the module contains others, which follow it in model order. Such a module has no weight itself.
static bool has_children(const std::vector<model::Module>& modules, std::size_t at) {
  const std::string prefix = modules[at].name.empty() ? "" : modules[at].name + ".";
  return at + 1 < modules.size() && modules[at + 1].name.starts_with(prefix);
}

Weights weights_of(const ir::Recipe& recipe, const ir::Recipe& written, const timeline::Run& run,
                   const std::vector<model::Module>* modules) {
  std::vector<Weight> weights;
  const auto by_name = run.parameters == nullptr ? Modules() : modules_by_weight(modules);
  for (std::size_t at = 0; run.parameters != nullptr && at < run.parameters->size(); ++at) {
    const std::string& name = (*run.parameters)[at];
    const auto module = by_name.find(name);
    weights.push_back({name, module == by_name.end() ? "" : module->second->type, run.parameters->shape(at)});
  }
  for (std::size_t at = 0; run.parameters == nullptr && modules != nullptr && at < modules->size(); ++at) {
    const model::Module& module = (*modules)[at];
    if (!module.shape && has_children(*modules, at)) continue;
    weights.push_back({module.name + std::string(kWeightEnding), module.type, module.shape ? &*module.shape : nullptr});
  }
  if (!weights.empty()) {
    return {std::move(weights)};
  }
  return examples_of(recipe, written);
}

}  // namespace sparsecfg::convert
