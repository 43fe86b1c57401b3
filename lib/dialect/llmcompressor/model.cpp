#include "dialect/llmcompressor/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "base/edit_distance.h"
#include "base/text.h"

namespace sparsecfg::dialect::llmcompressor {

using model::Module;

constexpr std::string_view kPattern = "re:";

bool is_pattern(std::string_view entry) { return entry.starts_with(kPattern); }

std::string_view pattern_of(std::string_view entry) { return entry.substr(kPattern.size()); }

std::optional<std::string> fault_of_regex(std::string_view pattern) {
  const auto error = regex::syntax_error_of(pattern);
  return error && !error->unsupported ? std::optional(error->message) : std::nullopt;
}

std::optional<std::string> fault_of(std::string_view entry) {
  return is_pattern(entry) ? fault_of_regex(pattern_of(entry)) : std::nullopt;
}

std::optional<std::string_view> without_end(std::string_view pattern) {
  for (const std::string_view end : {"$", "\\Z"}) {
    const std::string_view body = pattern.substr(0, pattern.size() - std::min(end.size(), pattern.size()));
    const std::size_t backslashes = body.size() - (body.find_last_not_of('\\') + 1);
    if (pattern.ends_with(end) && backslashes % 2 == 0) return body;
  }
  return std::nullopt;
}

// Returns the class names that match a module: its own name and those of its base classes. May contain duplicates.
static std::array<std::string_view, 4> classes_of(const Module& module) {
  const std::string_view own = module.type;
  return {own, "Module",
          own.starts_with("Conv")    ? "_ConvNd"
          : own == "LinearExperts2D" ? "ModuleList"
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

ModelIndex::ModelIndex(const std::vector<Module>& modules) : modules_(modules) {
  for (const Module& module : modules) {
    std::set<std::string_view> words = {module.name};
    for (const std::string_view name : classes_of(module)) words.insert(name);
    for (const std::string_view word : words) by_word_[word].push_back(&module);
  }
}

std::vector<const Module*> ModelIndex::matched_names(const std::string& entry) const {
  if (!is_pattern(entry)) {
    const auto found = by_word_.find(entry);
    return found == by_word_.end() ? std::vector<const Module*>() : found->second;
  }
  const model::Matcher matcher = matcher_of(entry);
  std::vector<const Module*> out;
  for (const Module& module : modules_) {
    if (matcher.takes(module.name)) out.push_back(&module);
  }
  return out;
}

bool ModelIndex::has(const std::string& entry) const {
  return is_pattern(entry) ? !matched_names(entry).empty() : by_word_.contains(entry);
}

std::optional<std::string> ModelIndex::anywhere(const std::string& entry) {
  if (guesses_left_ == 0) {
    return std::nullopt;
  }
  --guesses_left_;
  const std::string meant = is_pattern(entry) ? "re:.*" + std::string(pattern_of(entry)) : "re:.*" + entry + "$";
  const bool tried = is_pattern(entry) && pattern_of(entry).starts_with(".*");
  return tried || !has(meant) ? std::nullopt : std::optional(meant);
}

std::optional<std::string> ModelIndex::nearest(const std::string& entry) {
  if (is_pattern(entry) || guesses_left_ == 0) {
    return std::nullopt;
  }
  --guesses_left_;
  std::vector<std::string_view> words;
  for (const auto& [word, modules] : by_word_) words.push_back(word);
  std::ranges::sort(words);
  const auto found = base::nearest(entry, words);
  return found ? std::optional(std::string(*found)) : std::nullopt;
}

bool takes_scheme(const Module& module) { return module.type == "Linear" || module.type == "Embedding"; }

bool is_attention(const Module& module) { return base::to_lower(module.type).find("attention") != std::string::npos; }

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
static bool is_meant(const std::vector<Module>& modules, const std::vector<model::Matcher>& targets,
                     const Module& module) {
  const std::string parent = module.name.substr(0, std::min(module.name.rfind('.'), module.name.size()));
  const auto around = std::ranges::find(modules, parent, &Module::name);
  return std::ranges::any_of(targets, [&](const model::Matcher& target) {
    return target.takes(module) && (around == modules.end() || &*around == &module || !target.takes(*around)) &&
           std::ranges::none_of(modules, [&](const Module& each) {
             return each.name.starts_with(module.name + ".") && target.takes(each);
           });
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
  std::vector<std::optional<std::size_t>> out(modules.size());
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const Module& module = modules[at];
    if (!(takes_scheme(module) || is_attention(module)) || ignored.takes(module)) {
      continue;
    }
    const auto group = candidates.group_for(module);
    if (group && (takes_scheme(module) || is_meant(modules, targets[*group], module))) out[at] = group;
  }
  return out;
}

// Returns the longest common prefix of whole name parts; empty for the model itself.
static std::string common_parent(const std::string& a, const std::string& b) {
  std::size_t end = 0;
  for (std::size_t at = 0;; ++at) {
    const bool a_ends = at == a.size() || a[at] == '.';
    const bool b_ends = at == b.size() || b[at] == '.';
    if (a_ends && b_ends) end = at;
    if (at >= a.size() || at >= b.size() || a[at] != b[at]) break;
  }
  return a.substr(0, end);
}

// Collects the matches of the patterns in module order.
class SetFinder {
 public:
  SetFinder(const std::vector<Module>& modules, const std::vector<std::string>& patterns)
      : modules_(modules), patterns_(patterns), found_(patterns.size()) {
    for (const std::string& pattern : patterns) matchers_.push_back(matcher_of(pattern));
  }

  Sets find() {
    for (const Module& module : modules_) {
      take(module);
      if (!out_.fault.empty()) return std::move(out_);
    }
    if (std::ranges::all_of(found_, [](const auto& modules) { return modules.empty(); })) {
      return std::move(out_);
    }
    if (is_complete()) {
      out_.sets.push_back(found_);
    } else {
      out_.fault = missing();
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_complete() const {
    return std::ranges::none_of(found_, [](const auto& modules) { return modules.empty(); });
  }

  void take(const Module& module) {
    std::set<std::string_view> taken;
    for (std::size_t at = 0; at < patterns_.size(); ++at) {
      if (!matchers_[at].takes(module)) continue;
      std::string parent = parent_ ? common_parent(module.name, *parent_) : module.name;
      if (is_complete() && parent_ != parent) {
        out_.sets.push_back(found_);
        std::ranges::for_each(found_, [](auto& modules) { modules.clear(); });
        parent = module.name;
      }
      found_[at].push_back(&module);
      parent_ = parent;
      taken.insert(patterns_[at]);
    }
    if (taken.size() > 1) {
      out_.fault = fmt::format("`{}` and `{}` both match `{}`", base::printable(*taken.begin()),
                               base::printable(*std::next(taken.begin())), base::printable(module.name));
    }
  }

  [[nodiscard]] std::string missing() const {
    std::vector<std::string> absent;
    std::string there;
    for (std::size_t at = 0; at < patterns_.size(); ++at) {
      if (found_[at].empty()) {
        absent.push_back(fmt::format("`{}`", base::printable(patterns_[at])));
      } else {
        there = found_[at].front()->name;
      }
    }
    return fmt::format("no module next to `{}` matches {}", base::printable(there), base::join_and(absent));
  }

  const std::vector<Module>& modules_;
  const std::vector<std::string>& patterns_;
  std::vector<model::Matcher> matchers_;
  std::vector<std::vector<const Module*>> found_;
  std::optional<std::string> parent_;
  Sets out_;
};

Sets sets_in(const std::vector<Module>& modules, const std::vector<std::string>& patterns) {
  return SetFinder(modules, patterns).find();
}

}  // namespace sparsecfg::dialect::llmcompressor
