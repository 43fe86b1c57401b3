#include "dialect/llmcompressor/reached_layers.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "dialect/llmcompressor/draft.h"
#include "dialect/llmcompressor/model.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::llmcompressor {

using model::Module;
using model::Term;

static bool has_pruned_class(const Module& module) { return base::contains(kPrunedClasses, module.type); }

// Returns the name of a layer within a target. The name of a layer that is itself the target ends in a dot.
static std::string name_within(const Module& module, std::string_view target) {
  return target == module.name ? module.name + "." : target.empty() ? "." + module.name : module.name;
}

std::vector<bool> pruned_layers(const LayerPruning& pruning, const Modules& modules) {
  return pruning.iterates_letters() ? std::vector<bool>(modules.size())
                                    : pruned_layers(pruning.targets.value_or({}), pruning.ignore.value_or({}), modules);
}

std::vector<bool> pruned_layers(const Entries& target_entries, const Entries& ignored_entries, const Modules& modules) {
  std::vector<bool> out(modules.size());
  const model::Matcher targets = matcher_of(target_entries);
  const model::Matcher ignored = matcher_of(ignored_entries);
  std::set<std::string_view> taken;
  for (const Module& module : modules) {
    if (targets.takes(module)) taken.insert(module.name);
  }
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const std::string_view name = modules[at].name;
    if (!has_pruned_class(modules[at])) continue;
    for (std::size_t end = 0; !out[at] && end != name.npos;) {
      const std::string_view target = name.substr(0, end);
      if (taken.contains(target)) {
        out[at] = !ignored.takes(Module{name_within(modules[at], target), modules[at].type, {}});
      }
      end = end == name.size() ? name.npos : std::min(name.find('.', end + 1), name.size());
    }
  }
  return out;
}

std::vector<bool> blocks_with_experts(const ExpertPruning& pruning, const Modules& modules) {
  return blocks_with_experts(pruning.ignore.value_or({}), modules);
}

std::vector<bool> blocks_with_experts(const Entries& ignored_entries, const Modules& modules) {
  std::vector<Entry> patterns;
  for (const Entry& entry : ignored_entries) {
    if (!fault_of_regex(entry.text)) patterns.push_back({"re:.*(?:" + entry.text + ")", entry.span});
  }
  const model::Matcher ignored = matcher_of(patterns);
  std::set<std::string_view> parents;
  for (const Module& module : modules) {
    const std::size_t dot = module.name.rfind('.');
    if (module.type == "LinearExperts2D" && dot != module.name.npos) {
      parents.insert(std::string_view(module.name).substr(0, dot));
    }
  }
  std::vector<bool> out;
  for (const Module& module : modules) out.push_back(parents.contains(module.name) && !ignored.takes(module.name));
  return out;
}

// Returns the pattern of a name with all numbers replaced: `model\.layers\.\d+\.mlp\.up_proj$`.
static std::string pattern_with_numbers(const std::string& name) {
  std::string out;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == part.npos;
    out += (begin == 0 ? "" : "\\.") + (number ? "\\d+" : regex::literal(part));
    begin = end + 1;
  }
  return out + "$";
}

// Returns the term of an entry. `Module` is the base class of all modules.
static Term term_of(const Entry& entry) {
  if (is_pattern(entry.text)) return {Term::Kind::pattern, std::string(pattern_of(entry.text)), entry.span};
  if (entry.text == "Module") return {Term::Kind::all, entry.text, entry.span};
  return {model::looks_like_type(entry.text) ? Term::Kind::module_type : Term::Kind::exact, entry.text, entry.span};
}

namespace {

// Builds a selector of the reached modules.
class Reaching {
 public:
  Reaching(const std::vector<bool>& reached, const Modules& modules)
      : reached_(reached), modules_(modules), matched_(modules.size()) {}

  // Adds an entry, unless it only matches parents of reached modules.
  void add(const Entry& entry) {
    const model::Matcher matcher = matcher_of(entry.text);
    std::vector<std::size_t> mine;
    bool useful = false;
    bool parents = false;
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      if (!matcher.takes(modules_[at])) continue;
      mine.push_back(at);
      useful = useful || reached_[at];
      parents = parents || is_parent(at);
    }
    if (parents && !useful) return;
    out_.terms.push_back(term_of(entry));
    for (const std::size_t at : mine) matched_[at] = true;
  }

  // Adds patterns for the modules that no entry matches.
  void add_rest(source::Span place) {
    std::unordered_map<std::string, std::vector<std::size_t>> by_pattern;
    std::vector<std::string> patterns;
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      std::string pattern = pattern_with_numbers(modules_[at].name);
      by_pattern[pattern].push_back(at);
      if (reached_[at] && !matched_[at]) patterns.push_back(std::move(pattern));
    }
    std::set<std::string> known;
    for (const std::string& pattern : patterns) {
      if (!known.insert(pattern).second) continue;
      out_.terms.push_back({Term::Kind::pattern, pattern, place});
      for (const std::size_t at : by_pattern[pattern]) matched_[at] = true;
    }
  }

  // Returns the selector, which excludes matched modules that are not reached.
  model::Selector take(source::Span place) {
    std::vector<Term> excluded;
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      if (matched_[at] && !reached_[at]) excluded.push_back({Term::Kind::exact, modules_[at].name, place});
    }
    out_.excluded = std::move(excluded);
    return std::move(out_);
  }

 private:
  // Modules within a module directly follow it.
  [[nodiscard]] bool is_parent(std::size_t at) const {
    const std::string prefix = modules_[at].name.empty() ? "" : modules_[at].name + ".";
    for (std::size_t next = at + 1; next < modules_.size() && modules_[next].name.starts_with(prefix); ++next) {
      if (reached_[next]) return true;
    }
    return false;
  }

  const std::vector<bool>& reached_;
  const Modules& modules_;
  std::vector<bool> matched_;
  model::Selector out_{{}, model::Selector::Over::modules, false};
};

}  // namespace

model::Selector selector_of(const std::vector<Entry>& entries, const std::vector<bool>& reached, const Modules& modules,
                            source::Span place) {
  Reaching reaching(reached, modules);
  for (const Entry& entry : entries) {
    if (!fault_of(entry.text)) reaching.add(entry);
  }
  reaching.add_rest(place);
  return reaching.take(place);
}

}  // namespace sparsecfg::dialect::llmcompressor
