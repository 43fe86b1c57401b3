#include "dialect/schemes/targets.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "model/module_index.h"

namespace sparsecfg::dialect::schemes {

using model::Module;

constexpr std::string_view kPattern = "re:";

bool is_pattern(std::string_view entry) { return entry.starts_with(kPattern); }

std::string_view pattern_of(std::string_view entry) { return entry.substr(kPattern.size()); }

std::optional<std::string> fault_of_regex(std::string_view pattern) {
  const auto error = regex::syntax_error_of(pattern);
  return error && !error->unsupported ? std::optional(error->message) : std::nullopt;
}

bool is_joined_list(std::string_view entry) { return !is_pattern(entry) && entry.find(',') != std::string_view::npos; }

std::optional<std::string> fault_of(std::string_view entry) {
  return is_pattern(entry) ? fault_of_regex(pattern_of(entry)) : std::nullopt;
}

// Classes that are derived from Linear and behave like it.
static bool is_linear(const Module& module) {
  return module.type == "Linear" || module.type == "FalconLinear" || module.type == "NonDynamicallyQuantizableLinear";
}

// Returns the class names that match a module: its own name and those of its base classes. May contain duplicates.
std::array<std::string_view, 4> classes_of(const Module& module) {
  const std::string_view own = module.type;
  return {own, "Module",
          own.starts_with("Conv")    ? "_ConvNd"
          : own == "LinearExperts2D" ? "ModuleList"
          : is_linear(module)        ? "Linear"
                                     : own,
          module.name.empty() ? "PreTrainedModel" : own};
}

model::Matcher matcher_of(const std::vector<Entry>& entries) {
  using TermKind = model::Term::Kind;
  model::Selector selector;
  for (const Entry& entry : entries) {
    if (is_pattern(entry.text)) {
      selector.terms.push_back({TermKind::pattern, std::string(pattern_of(entry.text)), {}});
    } else {
      selector.terms.push_back({TermKind::exact, entry.text, {}});
      selector.terms.push_back({TermKind::module_type, entry.text, {}});
    }
  }
  return model::Matcher(selector, classes_of);
}

model::Matcher matcher_of(const std::string& entry) { return matcher_of(std::vector{Entry{entry, {}}}); }

bool takes_scheme(const Module& module) { return is_linear(module) || module.type == "Embedding"; }

// Attention of image encoders has no cache.
bool is_attention(const Module& module) {
  const std::string type = base::to_lower(module.type);
  const bool image = type.starts_with("clip") || type.starts_with("siglip") || type.find("vision") != std::string::npos;
  return type.find("attention") != std::string::npos && !image;
}

// Layers that compute the keys and values of a cache.
constexpr std::string_view kKeyLayers[] = {"k_proj", "v_proj", "qkv_proj", "kv_b_proj"};

std::vector<bool> cached_attention(const std::vector<Module>& modules) {
  std::set<std::string_view> parents;
  for (const Module& module : modules) {
    const std::string_view name = module.name;
    const std::size_t dot = name.rfind('.');
    if (dot != name.npos && base::contains(kKeyLayers, name.substr(dot + 1))) parents.insert(name.substr(0, dot));
  }
  std::vector<bool> out;
  for (const Module& module : modules) out.push_back(is_attention(module) && parents.contains(module.name));
  return out;
}

std::vector<Target> targets_of(const std::vector<Group>& groups) {
  std::map<std::pair<bool, std::string>, Target> by_text;  // key: true for names and classes
  for (std::size_t at = 0; at < groups.size(); ++at) {
    for (const Entry& entry : groups[at].targets) {
      by_text.insert_or_assign({!is_pattern(entry.text), entry.text}, Target{entry, at});
    }
  }
  std::vector<Target> out;
  for (auto& [key, target] : by_text) out.push_back(std::move(target));
  return out;
}

// The targets of some groups, prepared for matching many modules.
class Candidates {
 public:
  explicit Candidates(const std::vector<Group>& groups) {
    for (const Target& target : targets_of(groups)) {
      if (is_pattern(target.entry.text)) {
        patterns_.emplace_back(matcher_of(target.entry.text), target.group);
      } else {
        words_.emplace(target.entry.text, target.group);
      }
    }
  }

  // Returns the group whose target applies to a module, or nullopt if none matches. Full names have priority over
  // patterns, and patterns over classes.
  [[nodiscard]] std::optional<std::size_t> group_for(const Module& module) const {
    if (const auto named = words_.find(module.name); named != words_.end()) {
      return named->second;
    }
    for (const auto& [pattern, group] : patterns_) {
      if (pattern.takes(module.name)) return group;
    }
    auto classes = classes_of(module);
    std::ranges::sort(classes);
    for (const std::string_view name : classes) {
      if (const auto found = words_.find(name); found != words_.end()) return found->second;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::pair<model::Matcher, std::size_t>> patterns_;  // sorted by text
  std::map<std::string, std::size_t, std::less<>> words_;         // names and classes
};

// Returns true if a target selects an attention module itself, not its parent or a child.
static bool is_meant(const model::ModuleIndex& index, const std::vector<model::Matcher>& targets,
                     const Module& module) {
  const std::string parent = module.name.substr(0, std::min(module.name.rfind('.'), module.name.size()));
  const Module* around = index.find(parent);
  const auto inside = index.inside(module.name);
  return std::ranges::any_of(targets, [&](const model::Matcher& target) {
    return target.takes(module) && (around == nullptr || around == &module || !target.takes(*around)) &&
           std::ranges::none_of(inside, [&](const Module* each) { return target.takes(*each); });
  });
}

std::vector<std::optional<std::size_t>> schemes_in(const std::vector<Module>& modules, const std::vector<Group>& groups,
                                                   const std::vector<Entry>& ignore) {
  const Candidates candidates(groups);
  const model::Matcher ignored = matcher_of(ignore);
  std::vector<std::vector<model::Matcher>> targets;
  for (const Group& group : groups) {
    targets.emplace_back();
    for (const Entry& entry : group.targets) targets.back().push_back(matcher_of(entry.text));
  }
  const std::vector<bool> attention = cached_attention(modules);
  std::optional<model::ModuleIndex> index;
  if (std::ranges::find(attention, true) != attention.end()) index.emplace(modules);
  std::vector<std::optional<std::size_t>> out(modules.size());
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const Module& module = modules[at];
    if (!(takes_scheme(module) || attention[at]) || ignored.takes(module)) {
      continue;
    }
    const auto group = candidates.group_for(module);
    if (group && (takes_scheme(module) || is_meant(*index, targets[*group], module))) out[at] = group;
  }
  return out;
}

}  // namespace sparsecfg::dialect::schemes
