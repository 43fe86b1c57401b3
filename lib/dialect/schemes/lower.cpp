#include "dialect/schemes/schemes.h"

#include <algorithm>
#include <set>

#include "dialect/schemes/targets.h"

namespace sparsecfg::dialect::schemes {

// Class names begin with a capital letter and have no dots.
static model::Term term_of(const Entry& entry) {
  const bool is_class = !entry.text.empty() && entry.text.front() >= 'A' && entry.text.front() <= 'Z' &&
                        entry.text.find('.') == std::string::npos;
  if (is_pattern(entry.text)) return {model::Term::Kind::pattern, std::string(pattern_of(entry.text)), entry.span};
  return {is_class ? model::Term::Kind::module_type : model::Term::Kind::exact, entry.text, entry.span};
}

// Returns true for a pattern that Python can't compile, and for a list in one string, which no name equals.
static bool selects_nothing(const Entry& entry) { return fault_of(entry.text) || is_joined_list(entry.text); }

std::vector<model::Term> terms_of(const std::vector<Entry>& entries) {
  std::vector<model::Term> out;
  for (const Entry& entry : entries) {
    if (!selects_nothing(entry)) out.push_back(term_of(entry));
  }
  return out;
}

// Returns the modules that the targets match but that get no scheme.
static std::vector<model::Term> without_scheme(const std::vector<Group>& groups, const std::vector<Entry>& ignore,
                                               source::Span place, const std::vector<model::Module>& modules) {
  std::vector<Entry> entries;
  for (const Target& target : targets_of(groups)) entries.push_back(target.entry);
  const model::Matcher taking = matcher_of(entries);
  const auto schemes = schemes_in(modules, groups, ignore);
  std::vector<model::Term> out;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const bool none = !schemes[at] || groups[*schemes[at]].is_empty();
    if (none && taking.takes(modules[at])) out.push_back({model::Term::Kind::exact, modules[at].name, place});
  }
  return out;
}

// Returns the attention modules, whose cache is quantized by one scheme: their classes, or the names of the modules of
// a class that also has modules without a cache.
static std::vector<model::Term> cached_terms(const std::vector<model::Module>& modules, source::Span place) {
  const std::vector<bool> cached = cached_attention(modules);
  std::set<std::string_view> mixed;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    if (!cached[at]) mixed.insert(modules[at].type);
  }
  std::vector<model::Term> out;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    if (!cached[at]) continue;
    const bool whole = !mixed.contains(modules[at].type);
    model::Term term{whole ? model::Term::Kind::module_type : model::Term::Kind::exact,
                     whole ? modules[at].type : modules[at].name, place};
    if (std::ranges::find(out, term) == out.end()) out.push_back(std::move(term));
  }
  return out;
}

// With a model, the base class of all modules matches each name.
static model::Term term_in(const Entry& entry, const std::vector<model::Module>* modules) {
  const bool base = modules != nullptr && entry.text == "Module";
  return base ? model::Term{model::Term::Kind::all, entry.text, entry.span} : term_of(entry);
}

// Returns the targets by priority, names first, each with its scheme.
ir::Effect quantize(const std::vector<Group>& groups, const std::vector<Entry>& ignore, source::Span place,
                    const std::vector<model::Module>* modules, std::optional<source::Span> cache) {
  std::vector<Target> targets = targets_of(groups);
  std::stable_partition(targets.begin(), targets.end(),
                        [](const Target& target) { return term_of(target.entry).kind == model::Term::Kind::exact; });
  ir::Quantize out;
  source::Map schemes;
  const base::SharedList<model::Term> without =
      modules == nullptr ? terms_of(ignore) : without_scheme(groups, ignore, place, *modules);
  for (const auto& [entry, group] : targets) {
    if (selects_nothing(entry)) continue;
    out.layers.push_back({{term_in(entry, modules)}, model::Selector::Over::modules, false, false, false, without, {}});
    schemes.emplace_back(source::Value{entry.text, {}}, source::Value{groups[group].name, {}});
  }
  std::vector<model::Term> cached =
      modules == nullptr || !cache ? std::vector<model::Term>() : cached_terms(*modules, *cache);
  if (!cached.empty()) {
    out.layers.push_back({std::move(cached), model::Selector::Over::modules, false, false, false, {}, {}});
    schemes.emplace_back(source::Value{std::string("kv_cache_scheme"), {}},
                         source::Value{std::string("kv_cache_scheme"), {}});
  }
  out.overrides = {std::move(schemes), {}};
  out.replaces = true;
  return out;
}

}  // namespace sparsecfg::dialect::schemes
