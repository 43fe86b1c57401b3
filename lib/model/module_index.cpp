#include "model/module_index.h"

#include <algorithm>
#include <string>

namespace sparsecfg::model {

static std::string_view name_of(const Module* module) { return module->name; }

ModuleIndex::ModuleIndex(std::span<const Module> modules) {
  sorted_.reserve(modules.size());
  for (const Module& module : modules) sorted_.push_back(&module);
  std::ranges::stable_sort(sorted_, {}, name_of);
}

const Module* ModuleIndex::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(sorted_, name, {}, name_of);
  return found == sorted_.end() || (*found)->name != name ? nullptr : *found;
}

std::span<const Module* const> ModuleIndex::inside(std::string_view name) const {
  const std::string prefix = std::string(name) + ".";
  const auto first = std::ranges::lower_bound(sorted_, prefix, {}, name_of);
  const auto is_inside = [&](const Module* module) { return module->name.starts_with(prefix); };
  return {first, std::partition_point(first, sorted_.end(), is_inside)};
}

}  // namespace sparsecfg::model
