#include "dialect/compressed_tensors/runtime_targets.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::dialect::compressed_tensors {

constexpr std::string_view kRoutedExperts = "RoutedExperts";

RuntimeTargets::Matchable RuntimeTargets::prepared(const Entry& entry, std::size_t group) {
  Matchable out{entry, group, base::to_lower(entry.text), std::nullopt};
  if (schemes::is_pattern(entry.text)) out.pattern.emplace(std::string(schemes::pattern_of(entry.text)));
  return out;
}

// A repeated target keeps its place and gets the last group. Targets that select `Linear` also select experts.
RuntimeTargets::RuntimeTargets(const Config& config, Runtime runtime) : runtime_(runtime) {
  const auto find = [&](std::string_view text) {
    return std::ranges::find_if(targets_, [&](const Matchable& each) { return each.entry.text == text; });
  };
  for (std::size_t at = 0; at < config.groups.size(); ++at) {
    const ConfigGroup& group = config.groups[at];
    for (const Entry& entry : skips(group) || group.preset ? std::vector<Entry>() : group.targets) {
      const auto known = find(entry.text);
      if (known != targets_.end()) {
        known->group = at;
      } else if (!schemes::fault_of(entry.text)) {
        targets_.push_back(prepared(entry, at));
      }
    }
  }
  const auto linear = find("Linear");
  if (linear != targets_.end() && find(kRoutedExperts) == targets_.end()) {
    targets_.push_back(prepared({std::string(kRoutedExperts), linear->entry.span}, linear->group));
  }
  for (const Entry& entry : config.ignore) {
    if (!schemes::fault_of(entry.text)) ignored_.push_back(prepared(entry, 0));
  }
}

bool RuntimeTargets::skips(const ConfigGroup& group) const {
  return runtime_ == Runtime::vllm && group.targets.size() == 1 && group.targets.front().text.ends_with("Attention");
}

const RuntimeTargets::Matchable* RuntimeTargets::by_name(const std::vector<Matchable>& all, std::string_view name,
                                                         bool suffix) {
  const auto found = std::ranges::find_if(all, [&](const Matchable& each) {
    if (each.pattern) return each.pattern->takes(name);
    const std::string& text = each.entry.text;
    return name == text || (suffix && !text.empty() && name.size() > text.size() && name.ends_with(text) &&
                            name[name.size() - text.size() - 1] == '.');
  });
  return found == all.end() ? nullptr : &*found;
}

// A word matches every class whose name contains it, ignoring case.
const RuntimeTargets::Matchable* RuntimeTargets::by_class(std::string_view type) const {
  const std::string lower = base::to_lower(type);
  const auto found = std::ranges::find_if(targets_, [&](const Matchable& each) {
    return each.pattern ? each.pattern->takes(type) : lower.find(each.lower) != std::string::npos;
  });
  return found == targets_.end() ? nullptr : &*found;
}

// All parts of a fused layer must match some target. The target of the first part applies.
const RuntimeTargets::Matchable* RuntimeTargets::by_parts(const Layer& layer) const {
  const Matchable* first = nullptr;
  for (const std::string& part : layer.suffixes.empty() ? std::vector<std::string>() : layer.parts) {
    const Matchable* target = by_name(targets_, part, false);
    if (target == nullptr) return nullptr;
    if (first == nullptr) first = target;
  }
  return first;
}

std::optional<bool> RuntimeTargets::ignores(const Layer& layer) const {
  const bool suffix = runtime_ == Runtime::sglang;
  const auto literal = [&](const Matchable& each) { return each.entry.text == layer.name; };
  if (layer.suffixes.empty() || std::ranges::any_of(ignored_, literal)) {
    return by_name(ignored_, layer.name, suffix) != nullptr;
  }
  const auto is_ignored = [&](const std::string& part) { return by_name(ignored_, part, suffix) != nullptr; };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(layer.parts, is_ignored));
  return count != 0 && count != layer.parts.size() ? std::nullopt : std::optional(count != 0);
}

const Entry* RuntimeTargets::entry_for_part(const Layer& layer, std::string& part) const {
  for (const std::string& each : layer.parts) {
    if (const Matchable* found = by_name(ignored_, each, runtime_ == Runtime::sglang)) {
      part = each;
      return &found->entry;
    }
  }
  return nullptr;
}

// An embedding is certain to match only by class, because some models do not pass its name.
std::optional<std::size_t> RuntimeTargets::group_of(const Layer& layer) const {
  const bool named = layer.kind != Layer::Kind::embedding;
  const bool classed = layer.kind != Layer::Kind::head || runtime_ == Runtime::vllm;
  const Matchable* found = named ? by_name(targets_, layer.name, false) : nullptr;
  if (found == nullptr && runtime_ == Runtime::vllm) found = by_parts(layer);
  if (found == nullptr && classed) found = by_class(layer.type);
  if (found == nullptr) found = by_parts(layer);
  return found == nullptr ? std::nullopt : std::optional(found->group);
}

std::optional<std::size_t> RuntimeTargets::group_of_expert(const std::string& part) const {
  if (by_name(ignored_, part, runtime_ == Runtime::sglang) != nullptr) {
    return std::nullopt;
  }
  const Matchable* found = by_name(targets_, part, false);
  if (found == nullptr) found = by_class(kRoutedExperts);
  return found == nullptr ? std::nullopt : std::optional(found->group);
}

}  // namespace sparsecfg::dialect::compressed_tensors
