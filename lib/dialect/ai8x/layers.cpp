#include <algorithm>
#include <iterator>

#include "dialect/ai8x/read.h"

// Layers of a model that a QAT policy quantizes.
namespace sparsecfg::dialect::ai8x {

constexpr std::string_view kInner = ".op";
constexpr std::string_view kContainers[] = {"Module", "Sequential", "ModuleList", "ModuleDict"};

static bool is_inner(std::string_view name, const model::ModuleIndex& index) {
  if (!name.ends_with(kInner)) {
    return false;
  }
  const model::Module* outer = index.find(name.substr(0, name.size() - kInner.size()));
  return outer != nullptr && is_quantized_type(outer->type);
}

std::vector<std::string> quantized_layers(const std::vector<model::Module>& modules) {
  const model::ModuleIndex index(modules);
  std::vector<std::string> names;
  for (const model::Module& module : modules) {
    if (is_quantized_type(module.type) && !is_inner(module.name, index)) names.push_back(module.name);
  }
  return names;
}

Fit fit_of(std::string_view name, const model::ModuleIndex& index) {
  const model::Module* module = index.find(name);
  if (module == nullptr || is_inner(name, index)) {
    return Fit::no;
  }
  if (is_quantized_type(module->type)) {
    return Fit::yes;
  }
  const bool container = std::ranges::find(kContainers, module->type) != std::end(kContainers);
  return container || name.empty() || !index.inside(name).empty() ? Fit::no : Fit::unknown;
}

}  // namespace sparsecfg::dialect::ai8x
