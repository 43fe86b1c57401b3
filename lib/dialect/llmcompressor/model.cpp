#include "dialect/llmcompressor/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace sparsecfg::dialect::llmcompressor {

using source::Module;

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

Matcher::Matcher(std::string entry) : text_(std::move(entry)) {
  if (is_pattern(text_)) {
    auto compiled = regex::Pattern::compile(pattern_of(text_), regex::Anchoring::start);
    if (auto* pattern = std::get_if<regex::Pattern>(&compiled)) pattern_ = std::move(*pattern);
  }
}

// Of a class only its own name is known; these it has from torch and others.
static bool has_class(const Module& module, std::string_view name) {
  return module.type == name || name == "Module" || (name == "_ConvNd" && module.type.starts_with("Conv")) ||
         (name == "PreTrainedModel" && module.name.empty()) ||
         (name == "ModuleList" && module.type == "LinearExperts2D");
}

bool Matcher::takes_name(std::string_view name) const {
  return is_pattern(text_) ? pattern_ && pattern_->match(name) == regex::Match::yes : name == text_;
}

bool Matcher::takes(const Module& module) const {
  return takes_name(module.name) || (!is_pattern(text_) && has_class(module, text_));
}

std::vector<Matcher> matchers_of(const std::vector<Entry>& entries) {
  std::vector<Matcher> out;
  out.reserve(entries.size());
  for (const Entry& entry : entries) out.emplace_back(entry.text);
  return out;
}

bool any_takes(const std::vector<Matcher>& matchers, const Module& module) {
  return std::ranges::any_of(matchers, [&](const Matcher& matcher) { return matcher.takes(module); });
}

bool takes_scheme(const Module& module) { return module.type == "Linear" || module.type == "Embedding"; }

bool is_attention(const Module& module) { return base::to_lower(module.type).find("attention") != std::string::npos; }

std::vector<Target> targets_of(const std::vector<Group>& groups) {
  std::map<std::pair<bool, std::string>, Target> by_text;  // true for names and classes
  for (std::size_t at = 0; at < groups.size(); ++at) {
    for (const Entry& entry : groups[at].targets) {
      by_text.insert_or_assign({!is_pattern(entry.text), entry.text}, Target{entry, at});
    }
  }
  std::vector<Target> out;
  for (auto& [key, target] : by_text) out.push_back(std::move(target));
  return out;
}

// A target made ready for many modules.
struct Candidate {
  Matcher matcher;
  std::size_t group;
};

static std::vector<Candidate> candidates_of(const std::vector<Group>& groups) {
  std::vector<Candidate> out;
  for (Target& target : targets_of(groups)) out.push_back({Matcher(std::move(target.entry.text)), target.group});
  return out;
}

// The candidate that decides for a module; null if none takes it.
static const Candidate* candidate_for(const std::vector<Candidate>& candidates, const Module& module) {
  const auto by_name =
      std::ranges::find_if(candidates, [&](const Candidate& each) { return each.matcher.text() == module.name; });
  const auto found =
      by_name != candidates.end()
          ? by_name
          : std::ranges::find_if(candidates, [&](const Candidate& each) { return each.matcher.takes(module); });
  return found == candidates.end() ? nullptr : &*found;
}

// Returns true if a target is for a module of attention itself, not for the module around it or for one within it.
static bool is_meant(const std::vector<Module>& modules, const std::vector<Matcher>& targets, const Module& module) {
  const std::string parent = module.name.substr(0, std::min(module.name.rfind('.'), module.name.size()));
  const auto around = std::ranges::find(modules, parent, &Module::name);
  return std::ranges::any_of(targets, [&](const Matcher& target) {
    return target.takes(module) && (around == modules.end() || &*around == &module || !target.takes(*around)) &&
           std::ranges::none_of(modules, [&](const Module& each) {
             return each.name.starts_with(module.name + ".") && target.takes(each);
           });
  });
}

std::vector<std::optional<std::size_t>> schemes_in(const std::vector<Module>& modules, const std::vector<Group>& groups,
                                                   const std::vector<Entry>& ignore) {
  const std::vector<Candidate> candidates = candidates_of(groups);
  const std::vector<Matcher> ignored = matchers_of(ignore);
  std::vector<std::vector<Matcher>> targets;
  for (const Group& group : groups) targets.push_back(matchers_of(group.targets));
  std::vector<std::optional<std::size_t>> out(modules.size());
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const Module& module = modules[at];
    if (!(takes_scheme(module) || is_attention(module)) || any_takes(ignored, module)) {
      continue;
    }
    const Candidate* found = candidate_for(candidates, module);
    if (found != nullptr && (takes_scheme(module) || is_meant(modules, targets[found->group], module))) {
      out[at] = found->group;
    }
  }
  return out;
}

// The name up to the last dot before which both are equal part by part; empty for the model itself.
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

// Goes over the modules in their order and puts together what the patterns take.
class SetFinder {
 public:
  SetFinder(const std::vector<Module>& modules, const std::vector<std::string>& patterns)
      : modules_(modules), patterns_(patterns), found_(patterns.size()) {
    for (const std::string& pattern : patterns) matchers_.emplace_back(pattern);
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
      out_.fault = fmt::format("`{}` and `{}` both take `{}`", base::printable(*taken.begin()),
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
    return fmt::format("nothing beside `{}` fits {}", base::printable(there), base::join_and(absent));
  }

  const std::vector<Module>& modules_;
  const std::vector<std::string>& patterns_;
  std::vector<Matcher> matchers_;
  std::vector<std::vector<const Module*>> found_;
  std::optional<std::string> parent_;
  Sets out_;
};

Sets sets_in(const std::vector<Module>& modules, const std::vector<std::string>& patterns) {
  return SetFinder(modules, patterns).find();
}

}  // namespace sparsecfg::dialect::llmcompressor
