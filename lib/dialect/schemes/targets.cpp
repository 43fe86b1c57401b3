#include "dialect/schemes/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/schemes/language.h"
#include "model/linear_classes.h"
#include "model/roles.h"
#include "model/selectors/meant.h"
#include "regex/literal.h"

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

std::string without_typographic_quotes(std::string_view entry) {
  constexpr std::string_view kQuotes[] = {"\u201c", "\u201d", "\u2018", "\u2019", "\u201e"};
  std::string out(entry);
  for (const std::string_view quote : kQuotes) {
    for (std::size_t at = out.find(quote); at != std::string::npos; at = out.find(quote)) out.erase(at, quote.size());
  }
  return out;
}

// Adds the patterns for the parts of a layer that only a runtime has, such as `qkv_proj`.
static void add_parts(std::vector<std::string>& out, const std::string& pattern) {
  const std::string parts = quantizers::with_parts(pattern);
  if (parts == pattern) return;
  const std::string end = parts.ends_with('$') || parts.ends_with('*') ? "" : "$";
  out.push_back(fmt::format("re:{}{}", parts, end));
  if (!parts.starts_with(".*")) out.push_back(fmt::format("re:.*{}{}", parts, end));
}

// Adds the ends of a name whose first parts only a wrapper of the model has: `lm_head` of `base_model.model.lm_head`.
static void add_ends(std::vector<std::string>& out, std::string_view name) {
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    const std::string_view end = name.substr(dot + 1);
    if (!end.empty() && !base::is_digit(end.front()) && base::to_lower(end.substr(0, 1)) == end.substr(0, 1))
      out.emplace_back(end);
  }
}

// Adds a pattern without one of its parts: the names of a text model have no `language_model`.
static void add_without_part(std::vector<std::string>& out, std::string_view pattern) {
  constexpr std::string_view kDot = "\\.";
  std::size_t begin = 0;
  for (std::size_t dot = pattern.find(kDot); dot != pattern.npos; dot = pattern.find(kDot, begin)) {
    const std::string_view part = pattern.substr(begin, dot - begin);
    const bool word = !part.empty() && std::ranges::all_of(part, base::is_name_letter) && !base::is_digit(part.front());
    const std::string rest = fmt::format("re:{}{}", pattern.substr(0, begin), pattern.substr(dot + kDot.size()));
    begin = dot + kDot.size();
    if (word) out.push_back(rest);
  }
}

// Returns what an entry may have been meant to be, most likely first.
static std::vector<std::string> possible_entries(std::string_view entry) {
  const std::string bare = without_typographic_quotes(entry);
  std::vector<std::string> out;
  if (bare != entry) out.push_back(bare);
  if (is_pattern(bare)) {
    const std::string pattern(pattern_of(bare));
    if (!pattern.starts_with(".*")) out.push_back("re:.*" + pattern);
    out.push_back(fmt::format("re:{}.*", pattern));
    if (!pattern.starts_with(".*")) out.push_back(fmt::format("re:.*{}.*", pattern));
    add_parts(out, pattern);
    add_without_part(out, pattern);
    return out;
  }
  if (bare.find_first_of("*?") != std::string::npos) {
    const std::string pattern = base::pattern_meant_by(bare);
    out.push_back("re:" + pattern);
    if (!pattern.starts_with(".*") && !pattern.starts_with('^')) out.push_back("re:.*" + pattern);
    return out;
  }
  std::string_view name = bare;
  while (name.ends_with('.')) name.remove_suffix(1);
  for (const std::string_view end : {".weight", ".base_layer"}) {  // a parameter, and a layer in one of PEFT
    if (!name.ends_with(end)) continue;
    name.remove_suffix(end.size());
    out.emplace_back(name);
  }
  const std::string text = regex::literal(name);
  if (name.empty()) return out;
  out.insert(out.end(),
             {fmt::format("re:.*{}$", text), fmt::format("re:{}\\..*", text), fmt::format("re:.*{}\\..*", text)});
  add_ends(out, name);
  add_parts(out, text);
  return out;
}

// Names of the output head in families of models.
constexpr std::string_view kHeads[] = {"lm_head", "embed_out", "proj_out", "output_layer"};

bool names_head(std::string_view text) {
  return std::ranges::any_of(kHeads, [&](std::string_view head) { return text.find(head) != text.npos; });
}

const Module* head_of(std::span<const Module> modules) {
  const auto found = std::ranges::find_if(modules, [](const Module& module) {
    return takes_scheme(module) && base::contains(kHeads, std::string_view(base::last_part(module.name)));
  });
  return found == modules.end() ? nullptr : &*found;
}

// Returns the names of the modules of a class.
static std::vector<std::string_view> modules_of_class(std::span<const Module> modules, std::string_view name) {
  std::vector<std::string_view> out;
  for (const Module& module : modules) {
    if (!takes_scheme(module) && module.type == name && !module.name.empty()) out.push_back(module.name);
  }
  return out;
}

// Returns the name of a module without the numbers that end it: `model.layers` of `model.layers.0`.
static std::string_view without_number(std::string_view name) {
  while (!name.empty() && (base::is_digit(name.back()) || name.back() == '.')) name.remove_suffix(1);
  return name;
}

// Returns the beginnings of patterns for the modules within these ones, the shortest last.
static std::vector<std::string> beginnings(const std::vector<std::string_view>& containers) {
  const std::string_view list = without_number(containers.front());
  std::vector<std::string> out;
  const auto in_list = [&](std::string_view each) { return without_number(each) == list; };
  if (std::ranges::all_of(containers, in_list)) out.push_back(regex::literal(list));
  out.push_back(".*" + regex::literal(base::last_part(list)));
  return out;
}

// Returns the layers within some modules.
static std::set<const Module*> layers_within(const std::vector<const Module*>& layers,
                                             const std::vector<std::string_view>& containers) {
  const std::set<std::string_view> names(containers.begin(), containers.end());
  std::set<const Module*> out;
  for (const Module* layer : layers) {
    const std::string_view name = layer->name;
    for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
      if (names.contains(name.substr(0, dot))) out.insert(layer);
    }
  }
  return out;
}

bool is_router(std::string_view name) {
  static constexpr std::string_view kRouters[] = {"gate", "router", "shared_expert_gate"};
  return base::contains(kRouters, base::last_part(name));
}

// Returns the ends of patterns for layers: any name, or their last parts.
static std::vector<std::string> ends_of(const std::set<const Module*>& layers) {
  std::set<std::string> last;
  for (const Module* layer : layers) last.insert(regex::literal(base::last_part(layer->name)));
  return {"\\..*", "\\..*_proj$", fmt::format("\\..*\\.({})$", fmt::join(last, "|"))};
}

// Returns a pattern for the layers in the modules of a class, such as `re:model\.layers\..*_proj$` for
// `LlamaDecoderLayer`. It matches no other layers and no attention modules, whose inputs it would quantize.
static std::optional<std::string> entry_for_class(std::span<const Module> modules,
                                                  const std::vector<const Module*>& layers, std::string_view name) {
  const std::vector<std::string_view> containers = modules_of_class(modules, name);
  if (containers.empty()) return std::nullopt;
  std::set<const Module*> wanted = layers_within(layers, containers);
  std::erase_if(wanted, [](const Module* each) { return is_router(each->name); });
  const std::vector<bool> attention = cached_attention(modules);
  const auto selects = [&](const std::string& entry) {
    const model::Matcher matcher = matcher_of(entry);
    return std::ranges::all_of(modules, [&](const Module& module) {
      const bool layer = takes_scheme(module);
      const bool unwanted =
          layer ? !wanted.contains(&module) : attention[static_cast<std::size_t>(&module - &modules[0])];
      return (!layer && !unwanted) || matcher.takes(module) != unwanted;
    });
  };
  for (const std::string& begin : beginnings(containers)) {
    for (const std::string& end : ends_of(wanted)) {
      const std::string entry = fmt::format("re:{}{}", begin, end);
      if (!wanted.empty() && entry.size() <= 200 && selects(entry)) return entry;
    }
  }
  return std::nullopt;
}

// Returns an entry with corrected spelling, or with the beginning that the names of this model have:
// `re:model\.layers.*` for `re:model\.language_model\.layers.*`.
static std::optional<std::string> corrected(const std::vector<const Module*>& layers, std::string_view entry) {
  static constexpr selectors::Reader kReader{.name{"schemes"},
                                             .marks = {{.prefix = "re:", .how = {selectors::How::match}}}};
  base::Budget budget({.steps = 1'000'000});  // layers of large models are searched repeatedly
  std::vector<selectors::Module> modules;
  for (const Module* layer : layers) modules.push_back({layer->name, layer->type});
  const selectors::Entry written{std::string(entry)};
  const auto meant = selectors::meant_by(kReader, written, modules, {}, budget);
  const bool fits = meant && meant->kind != selectors::Meant::Kind::other_level && meant->matches < layers.size();
  return fits ? std::optional(meant->text) : std::nullopt;
}

std::optional<std::string> entry_for_layers(std::span<const Module> modules, std::string_view entry) {
  constexpr std::size_t kMaxMatches = 160'000;  // of a candidate with a layer, so that large models take no seconds
  std::vector<const Module*> layers;
  for (const Module& module : modules) {
    if (takes_scheme(module)) layers.push_back(&module);
  }
  std::size_t left = kMaxMatches;
  for (const std::string& meant : possible_entries(entry)) {
    if (meant.size() > 200 || fault_of(meant)) continue;
    if (layers.size() > left) break;
    left -= layers.size();
    const model::Matcher matcher = matcher_of(meant);
    if (std::ranges::any_of(layers, [&](const Module* each) { return matcher.takes(*each); })) return meant;
  }
  if (auto inner = entry_for_class(modules, layers, entry)) return inner;
  const Module* head = names_head(entry) ? head_of(modules) : nullptr;
  if (head != nullptr) return head->name;
  if (auto other = corrected(layers, entry)) return other;
  std::vector<std::string_view> names;
  for (const Module* layer : layers) names.push_back(layer->name);
  const model::Counterpart other = model::counterpart_of(entry, names);
  return other.ends.empty() ? std::nullopt : std::optional("re:" + other.pattern());
}

// Returns true if an entry that matches no module was meant to match a layer. Each item of a joined list counts.
static bool is_meant_for(const std::string& entry, std::span<const Module> modules, std::string_view layer) {
  if (!is_joined_list(entry)) {
    const auto meant = entry_for_layers(modules, entry);
    return meant && matcher_of(*meant).takes(layer);
  }
  return std::ranges::any_of(base::parts_of(entry, ','), [&](std::string_view part) {
    const std::string item(base::trim(part));
    return !item.empty() && !fault_of(item) && matcher_of(item).takes(layer);
  });
}

std::optional<source::Span> entry_meant_for(const std::vector<Entry>& entries, std::span<const Module> modules,
                                            std::string_view layer) {
  for (const Entry& entry : entries) {
    const model::Matcher matcher = matcher_of(entry.text);
    if (fault_of(entry.text) || std::ranges::any_of(modules, [&](const Module& each) { return matcher.takes(each); })) {
      continue;
    }
    if (is_meant_for(entry.text, modules, layer)) return entry.span;
  }
  return std::nullopt;
}

// Returns the class names that match a module: its own name and those of its base classes. May contain duplicates.
std::array<std::string_view, 4> classes_of(const Module& module) {
  const std::string_view own = module.type;
  return {own, "Module",
          own.starts_with("Conv")       ? "_ConvNd"
          : own == "LinearExperts2D"    ? "ModuleList"
          : model::is_linear_class(own) ? "Linear"
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

bool takes_scheme(const Module& module) { return model::is_linear_class(module.type) || module.type == "Embedding"; }

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
