#include "convert/weights.h"

#include "model/model.h"

namespace sparsecfg::convert {

// Returns true if the module contains others, which follow it in model order. Such a module has no weight itself.
static bool has_children(const std::vector<model::Module>& modules, std::size_t at) {
  const std::string prefix = modules[at].name.empty() ? "" : modules[at].name + ".";
  return at + 1 < modules.size() && modules[at + 1].name.starts_with(prefix);
}

Weights weights_of(const ir::Recipe& recipe, const ir::Recipe& written, const timeline::Run& run,
                   const std::vector<model::Module>* modules) {
  std::vector<Weight> weights;
  const model::Model known(modules);
  for (std::size_t at = 0; run.parameters != nullptr && at < run.parameters->size(); ++at) {
    const std::string& name = (*run.parameters)[at];
    const model::Module* module = known.of_weight(name);
    weights.push_back({name, module == nullptr ? "" : module->type, run.parameters->shape(at)});
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
