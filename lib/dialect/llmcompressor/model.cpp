#include "dialect/llmcompressor/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "base/edit_distance.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::llmcompressor {

using model::Module;

std::optional<std::string_view> without_end(std::string_view pattern) {
  for (const std::string_view end : {"$", "\\Z"}) {
    const std::string_view body = pattern.substr(0, pattern.size() - std::min(end.size(), pattern.size()));
    const std::size_t backslashes = body.size() - (body.find_last_not_of('\\') + 1);
    if (pattern.ends_with(end) && backslashes % 2 == 0) return body;
  }
  return std::nullopt;
}

bool lacks_weight(const Module& module) {
  return !module.shape && !takes_scheme(module) && !module.type.starts_with("Conv");
}

std::span<const std::string_view> fused_names(std::string_view name) {
  static const std::vector<std::vector<std::string_view>> kFused = {
      {"gate_proj", "up_proj"}, {"q_proj", "k_proj", "v_proj"}, {"q_a_proj", "kv_a_proj_with_mqa"}, {"w1", "w3"}};
  const auto found = std::ranges::find_if(kFused, [&](const auto& names) { return base::contains(names, name); });
  return found == kFused.end() ? std::span<const std::string_view>() : *found;
}

ModelIndex::ModelIndex(const std::vector<Module>& modules, const std::vector<std::string>* stored)
    : modules_(modules), stored_(stored) {
  for (const Module& module : modules) {
    std::set<std::string_view> words = {module.name};
    for (const std::string_view name : schemes::classes_of(module)) words.insert(name);
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
  if (auto layers = schemes::entry_for_layers(modules_, entry)) return layers;
  const std::string meant =
      is_pattern(entry) ? "re:.*" + std::string(pattern_of(entry)) : fmt::format("re:.*{}$", regex::literal(entry));
  const bool tried = is_pattern(entry) && pattern_of(entry).starts_with(".*");
  return tried || !has(meant) ? std::nullopt : std::optional(meant);
}

std::pair<const Module*, std::string> ModelIndex::stored_as(const std::string& entry) {
  if (guesses_left_ == 0 || stored_ == nullptr || stored_->size() != modules_.size()) {
    return {};
  }
  --guesses_left_;
  const model::Matcher matcher = matcher_of(entry);
  const auto found = std::ranges::find_if(*stored_, [&](const std::string& name) { return matcher.takes(name); });
  return found == stored_->end() ? std::pair<const Module*, std::string>()
                                 : std::pair(&modules_[static_cast<std::size_t>(found - stored_->begin())], *found);
}

std::optional<model::MissingNumbers> ModelIndex::missing_numbers(const std::string& entry) const {
  if (!model::numbers_in(entry)) return std::nullopt;
  std::vector<std::string> names;
  for (const Module& module : modules_) names.push_back(module.name);
  return model::missing_numbers(entry, names, [&](const std::string& text) { return has(text); });
}

// Returns a name without its first number and all before it, as a pattern in which numbers are `\d+`.
static std::string pattern_in_block(std::string_view name) {
  std::string out;
  bool inside = false;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('.'));
    name.remove_prefix(std::min(part.size() + 1, name.size()));
    const bool number = std::ranges::all_of(part, base::is_digit);
    if (inside) out += (out.empty() ? "" : "\\.") + (number ? std::string("\\d+") : regex::literal(part));
    inside = inside || number;
  }
  return out;
}

std::optional<std::string> ModelIndex::pattern_for_stored(const std::string& entry) {
  if (guesses_left_ == 0 || stored_ == nullptr || stored_->size() != modules_.size() || !is_pattern(entry)) return {};
  --guesses_left_;
  const model::Matcher matcher = matcher_of(entry);
  std::vector<const Module*> wanted;
  std::set<std::string> parents;
  std::set<std::string> last;
  for (std::size_t at = 0; at < modules_.size(); ++at) {
    if (!schemes::takes_scheme(modules_[at]) || !matcher.takes((*stored_)[at])) continue;
    wanted.push_back(&modules_[at]);
    const std::string pattern = pattern_in_block(modules_[at].name);
    const std::size_t dot = pattern.rfind("\\.");
    parents.insert(dot == std::string::npos ? "" : pattern.substr(0, dot + 2));
    last.insert(dot == std::string::npos ? pattern : pattern.substr(dot + 2));
  }
  if (parents.size() != 1) return std::nullopt;
  std::string out = fmt::format("re:.*{}{}$", *parents.begin(),
                                last.size() == 1 ? *last.begin() : fmt::format("({})", fmt::join(last, "|")));
  return matched_names(out) == wanted ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::string> ModelIndex::same_part(const std::string& entry) const {
  for (const std::string_view end : {"DecoderLayer", "EncoderLayer", "Attention", "MLP", "RMSNorm"}) {
    if (!entry.ends_with(end)) continue;
    const auto found = std::ranges::find_if(modules_, [&](const Module& each) { return each.type.ends_with(end); });
    return found == modules_.end() ? std::nullopt : std::optional(found->type);
  }
  return std::nullopt;
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
      if (out_.failed()) return std::move(out_);
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
      out_.fault = AmbiguousModule{std::string(*taken.begin()), std::string(*std::next(taken.begin())), module.name};
    }
  }

  [[nodiscard]] MissingModules missing() const {
    MissingModules out;
    for (std::size_t at = 0; at < patterns_.size(); ++at) {
      if (found_[at].empty()) {
        out.patterns.push_back(fmt::format("`{}`", patterns_[at]));
      } else {
        out.beside = found_[at].front()->name;
      }
    }
    return out;
  }

  const std::vector<Module>& modules_;
  const std::vector<std::string>& patterns_;
  std::vector<model::Matcher> matchers_;
  std::vector<std::vector<const Module*>> found_;
  std::optional<std::string> parent_;
  Sets out_;
};

std::string describe(const SetFault& fault) {
  return std::visit(base::Overloaded{[](const NoFault&) { return std::string(); },
                                     [](const MissingModules& missing) {
                                       return fmt::format("no module next to `{}` matches {}", missing.beside,
                                                          base::join_and(missing.patterns));
                                     },
                                     [](const AmbiguousModule& module) {
                                       return fmt::format("`{}` and `{}` both match `{}`", module.first, module.second,
                                                          module.name);
                                     }},
                    fault);
}

Sets sets_in(const std::vector<Module>& modules, const std::vector<std::string>& patterns) {
  return SetFinder(modules, patterns).find();
}

}  // namespace sparsecfg::dialect::llmcompressor
