#include "dialect/llmcompressor/attached_schemes.h"

#include <utility>

#include "dialect/llmcompressor/model.h"

namespace sparsecfg::dialect::llmcompressor {

// Returns the groups of a modifier. Without groups, a modifier with a configuration attaches an empty scheme.
static std::vector<Group> attached_groups(const Modifier& modifier) {
  const auto* quantization = modifier.as<Quantization>();
  if (quantization == nullptr) {
    return {};
  }
  if (quantization->groups.empty() && quantization->has_configuration()) {
    return {{"", modifier.key, modifier.targets(), {}, {}, {}}};
  }
  return quantization->groups;
}

AttachedSchemes::AttachedSchemes(const std::vector<Modifier>& modifiers, const Modules& modules)
    : modules_(modules), owners_(modules.size()) {
  for (std::size_t at = 0; at < modifiers.size(); ++at) {
    groups_.push_back(attached_groups(modifiers[at]));
    schemes_.emplace_back();
    if (groups_.back().empty()) continue;
    schemes_.back() = schemes_in(modules, groups_.back(), modifiers[at].ignore());
    for (std::size_t module = 0; module < modules.size(); ++module) {
      if (schemes_.back()[module]) owners_[module] = at;
    }
  }
}

const Group* AttachedSchemes::scheme_by(std::size_t modifier, std::size_t module) const {
  const auto& schemes = schemes_[modifier];
  return schemes.empty() || !schemes[module] ? nullptr : &groups_[modifier][*schemes[module]];
}

const Group* AttachedSchemes::scheme_of(std::size_t module) const {
  return owners_[module] ? scheme_by(*owners_[module], module) : nullptr;
}

bool AttachedSchemes::keeps(std::size_t modifier, std::size_t module) const { return owners_[module] == modifier; }

std::vector<bool> AttachedSchemes::used_groups(std::size_t modifier) const {
  std::vector<bool> out(groups_[modifier].size(), modules_.empty());
  for (const std::optional<std::size_t>& group : schemes_[modifier]) {
    if (group) out[*group] = true;
  }
  return out;
}

std::vector<Entry> AttachedSchemes::emptied(std::size_t modifier) const {
  std::vector<Entry> out;
  for (std::size_t at = 0; at < modules_.size(); ++at) {
    const Group* own = scheme_by(modifier, at);
    if (own != nullptr && !keeps(modifier, at) && scheme_of(at)->is_empty()) out.push_back({modules_[at].name, {}});
  }
  return out;
}

}  // namespace sparsecfg::dialect::llmcompressor
