#include "dialect/compressed_tensors/runtime_targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace sparsecfg::dialect::compressed_tensors {

constexpr std::string_view kRoutedExperts = "RoutedExperts";

const Modules* modules_for(const Config& config, const Modules* modules, diag::Sink& sink) {
  std::size_t cost = 4;
  const auto add = [&](const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) {
      if (schemes::is_pattern(entry.text)) cost += regex::match_cost(schemes::pattern_of(entry.text));
    }
  };
  add(config.ignore);
  for (const ConfigGroup& group : config.groups) add(group.targets);
  if (modules == nullptr || cost * modules->size() <= limits::kMaxMatches) {
    return modules;
  }
  sink.report(diag::limits_exceeded, config.record.key,
              fmt::format("matching all patterns with {} modules exceeds the limit of {} matches", modules->size(),
                          limits::kMaxMatches))
      .with_help("pass fewer modules with `--modules`, or use fewer patterns");
  return nullptr;
}

RuntimeTargets::Matchable RuntimeTargets::prepared(const Entry& entry, std::size_t group) {
  Matchable out{entry, group, base::to_lower(entry.text), std::nullopt};
  if (schemes::is_pattern(entry.text)) out.pattern.emplace(std::string(schemes::pattern_of(entry.text)));
  return out;
}

// A string instead of a list is read letter by letter.
static std::vector<Entry> entries_of(const ConfigGroup& group) {
  std::vector<Entry> out = group.targets;
  for (const char letter : group.text_targets) out.push_back({std::string(1, letter), group.span});
  return out;
}

// A repeated target keeps its place and gets the last group. Targets that select `Linear` also select experts.
RuntimeTargets::RuntimeTargets(const Config& config, const RuntimeChoice& choice)
    : runtime_(choice.serving()), parts_first_(runtime_ == Runtime::vllm && choice.has(facts::kFusedBeforeClass)) {
  std::map<std::string, std::size_t> places;  // of the targets
  for (std::size_t at = 0; at < config.groups.size(); ++at) {
    const ConfigGroup& group = config.groups[at];
    for (const Entry& entry : skips(group) || group.preset ? std::vector<Entry>() : entries_of(group)) {
      if (const auto known = places.find(entry.text); known != places.end()) {
        targets_[known->second].group = at;
      } else if (!schemes::fault_of(entry.text)) {
        places.emplace(entry.text, targets_.size());
        targets_.push_back(prepared(entry, at));
      }
    }
  }
  const auto linear = places.find("Linear");
  if (linear != places.end() && !places.contains(std::string(kRoutedExperts))) {
    const Matchable& own = targets_[linear->second];
    targets_.push_back(prepared({std::string(kRoutedExperts), own.entry.span}, own.group));
  }
  for (const Entry& entry : config.ignore) {
    if (schemes::fault_of(entry.text)) continue;
    if (schemes::is_pattern(entry.text)) {
      ignored_.patterns.push_back(prepared(entry, 0));
    } else {
      ignored_.names.emplace(entry.text, entry);
    }
  }
}

bool RuntimeTargets::skips(const ConfigGroup& group) const {
  return runtime_ == Runtime::vllm && group.targets.size() == 1 && group.targets.front().text.ends_with("Attention");
}

const RuntimeTargets::Matchable* RuntimeTargets::target_of(std::string_view name) const {
  const auto found = std::ranges::find_if(targets_, [&](const Matchable& each) {
    return each.pattern ? each.pattern->takes(name) : each.entry.text == name;
  });
  return found == targets_.end() ? nullptr : &*found;
}

// SGLang also ignores a layer whose name ends in an entry, after a dot.
const Entry* RuntimeTargets::ignoring(std::string_view name) const {
  for (std::string_view rest = name; !rest.empty(); rest.remove_prefix(std::min(rest.find('.'), rest.size() - 1) + 1)) {
    if (const auto found = ignored_.names.find(rest); found != ignored_.names.end()) return &found->second;
    if (runtime_ != Runtime::sglang || rest.find('.') == rest.npos) break;
  }
  const auto found =
      std::ranges::find_if(ignored_.patterns, [&](const Matchable& each) { return each.pattern->takes(name); });
  return found == ignored_.patterns.end() ? nullptr : &found->entry;
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
    const Matchable* target = target_of(part);
    if (target == nullptr) return nullptr;
    if (first == nullptr) first = target;
  }
  return first;
}

std::optional<bool> RuntimeTargets::ignores(const Layer& layer) const {
  if (layer.suffixes.empty() || ignored_.names.contains(layer.name)) return ignoring(layer.name) != nullptr;
  const auto count = static_cast<std::size_t>(
      std::ranges::count_if(layer.parts, [&](const std::string& part) { return ignoring(part) != nullptr; }));
  return count != 0 && count != layer.parts.size() ? std::nullopt : std::optional(count != 0);
}

const Entry* RuntimeTargets::entry_for_part(const Layer& layer, std::string& part) const {
  for (const std::string& each : layer.parts) {
    if (const Entry* found = ignoring(each)) {
      part = each;
      return found;
    }
  }
  return nullptr;
}

// An embedding is certain to match only by class, because some models do not pass its name.
const RuntimeTargets::Matchable* RuntimeTargets::matching(const Layer& layer) const {
  const bool named = layer.kind != Layer::Kind::embedding;
  const bool classed = layer.kind != Layer::Kind::head || runtime_ == Runtime::vllm;
  const Matchable* found = named ? target_of(layer.name) : nullptr;
  if (found == nullptr && parts_first_) found = by_parts(layer);
  if (found == nullptr && classed) found = by_class(layer.type);
  return found == nullptr ? by_parts(layer) : found;
}

const RuntimeTargets::Matchable* RuntimeTargets::matching_expert(const std::string& part) const {
  if (ignoring(part) != nullptr) return nullptr;
  const Matchable* found = target_of(part);
  return found == nullptr ? by_class(kRoutedExperts) : found;
}

std::optional<std::size_t> RuntimeTargets::group_of(const Layer& layer) const {
  const Matchable* found = matching(layer);
  return found == nullptr ? std::nullopt : std::optional(found->group);
}

std::optional<std::size_t> RuntimeTargets::group_of_expert(const std::string& part) const {
  const Matchable* found = matching_expert(part);
  return found == nullptr ? std::nullopt : std::optional(found->group);
}

RuntimeDecision RuntimeTargets::decision_of(const Layer& layer) const {
  const bool experts = layer.kind == Layer::Kind::experts;
  std::string part;
  if (experts ? ignoring(layer.parts.front()) != nullptr : ignores(layer).value_or(true)) {
    const Entry* own = ignoring(layer.name);
    return {std::nullopt, own == nullptr ? entry_for_part(layer, part) : own};
  }
  const Matchable* found = experts ? matching_expert(layer.parts.front()) : matching(layer);
  return found == nullptr ? RuntimeDecision() : RuntimeDecision{found->group, &found->entry};
}

}  // namespace sparsecfg::dialect::compressed_tensors
