#include "dialect/schemes/targets.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "dialect/schemes/language.h"

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

std::vector<bool> cached_attention(std::span<const Module> modules) {
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

std::vector<std::optional<std::size_t>> schemes_in(const std::vector<Module>& modules, const std::vector<Group>& groups,
                                                   const std::vector<Entry>& ignore) {
  ir::Selection selection{&kSchemeLanguage, rules_of(ignore, ir::Rule::Kind::leaves)};
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    for (ir::Rule& rule : rules_of(groups[group].targets)) {
      rule.scheme = group;
      selection.rules.push_back(std::move(rule));
    }
  }
  const ir::Decisions decisions = kSchemeLanguage.decide(selection, {}, modules);
  std::vector<std::optional<std::size_t>> out(modules.size());
  for (std::size_t at = 0; decisions.complete && at < modules.size(); ++at) {
    const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
    if (decision.kind == ir::Rule::Kind::assigns) out[at] = decision.scheme;
  }
  return out;
}

}  // namespace sparsecfg::dialect::schemes
