#include <algorithm>
#include <iterator>

#include "dialect/ai8x/read.h"

// Layers of a model that a QAT policy quantizes.
namespace sparsecfg::dialect::ai8x {

constexpr std::string_view kInner = ".op";
constexpr std::string_view kContainers[] = {"Module", "Sequential", "ModuleList", "ModuleDict"};

static const model::Module* find_module(std::string_view name, const std::vector<model::Module>& modules) {
  const auto found = std::ranges::find(modules, name, &model::Module::name);
  return found == modules.end() ? nullptr : &*found;
}

static bool is_inner(std::string_view name, const std::vector<model::Module>& modules) {
  if (!name.ends_with(kInner)) {
    return false;
  }
  const model::Module* outer = find_module(name.substr(0, name.size() - kInner.size()), modules);
  return outer != nullptr && is_quantized_type(outer->type);
}

std::vector<std::string> quantized_layers(const std::vector<model::Module>& modules) {
  std::vector<std::string> names;
  for (const model::Module& module : modules) {
    if (is_quantized_type(module.type) && !is_inner(module.name, modules)) names.push_back(module.name);
  }
  return names;
}

static bool has_parts(std::string_view name, const std::vector<model::Module>& modules) {
  return name.empty() || std::ranges::any_of(modules, [&](const model::Module& module) {
           return module.name.size() > name.size() && module.name.starts_with(name) && module.name[name.size()] == '.';
         });
}

Fit fit_of(std::string_view name, const std::vector<model::Module>& modules) {
  const model::Module* module = find_module(name, modules);
  if (module == nullptr || is_inner(name, modules)) {
    return Fit::no;
  }
  if (is_quantized_type(module->type)) {
    return Fit::yes;
  }
  const bool container = std::ranges::find(kContainers, module->type) != std::end(kContainers);
  return container || has_parts(name, modules) ? Fit::no : Fit::unknown;
}

}  // namespace sparsecfg::dialect::ai8x
