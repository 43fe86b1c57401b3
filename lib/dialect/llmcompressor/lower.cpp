#include "dialect/llmcompressor/reading.h"

#include <algorithm>

#include "dialect/llmcompressor/entries.h"
#include "dialect/llmcompressor/model.h"

namespace sparsecfg::dialect::llmcompressor {

// Class names begin with a capital letter and have no dots.
static model::Term term_of(const Entry& entry) {
  const bool is_class = !entry.text.empty() && entry.text.front() >= 'A' && entry.text.front() <= 'Z' &&
                        entry.text.find('.') == std::string::npos;
  if (is_pattern(entry.text)) return {model::Term::Kind::pattern, std::string(pattern_of(entry.text)), entry.span};
  return {is_class ? model::Term::Kind::module_type : model::Term::Kind::exact, entry.text, entry.span};
}

// Skips patterns that Python can't compile.
static std::vector<model::Term> terms_of(const std::vector<Entry>& entries) {
  std::vector<model::Term> out;
  for (const Entry& entry : entries) {
    if (!fault_of(entry.text) && !is_joined_list(entry.text)) out.push_back(term_of(entry));
  }
  return out;
}

// Returns the ignored entries. With a model it adds modules that the targets match by name but that can't have a
// scheme.
static std::vector<model::Term> excluded(const Modifier& modifier, const std::vector<Target>& targets,
                                         const Modules* modules) {
  std::vector<model::Term> out = terms_of(entries_of(modifier, "ignore"));
  std::vector<Entry> entries;
  for (const Target& target : targets) entries.push_back(target.entry);
  const model::Matcher taking = matcher_of(entries);
  for (std::size_t at = 0; modules != nullptr && at < modules->size(); ++at) {
    const model::Module& module = (*modules)[at];
    if (!takes_scheme(module) && taking.takes(module)) {
      out.push_back({model::Term::Kind::exact, module.name, modifier.key});
    }
  }
  return out;
}

// Returns the targets by priority, names first, each with its scheme.
static ir::Effect quantize(const Modifier& modifier, const Modules* modules) {
  const std::vector<Group> groups = groups_of(modifier);
  std::vector<Target> targets = targets_of(groups);
  std::stable_partition(targets.begin(), targets.end(),
                        [](const Target& target) { return term_of(target.entry).kind == model::Term::Kind::exact; });
  ir::Quantize out;
  source::Map schemes;
  const base::SharedList<model::Term> without = excluded(modifier, targets, modules);
  for (const auto& [entry, group] : targets) {
    if (fault_of(entry.text) || is_joined_list(entry.text)) continue;
    out.layers.push_back({{term_of(entry)}, model::Selector::Over::modules, false, false, false, without, {}});
    schemes.emplace_back(source::Value{entry.text, {}}, source::Value{groups[group].name, {}});
  }
  out.overrides = {std::move(schemes), {}};
  out.replaces = true;
  return out;
}

static ir::Effect effect_of(const Modifier& modifier, const Modules* modules) {
  if (quantizes(meaning_of(modifier))) {
    return quantize(modifier, modules);
  }
  if (modifier.spec->find("targets") == nullptr) {
    return ir::Opaque{};
  }
  model::Selector selector{terms_of(entries_of(modifier, "targets")), model::Selector::Over::modules, false};
  selector.excluded = terms_of(entries_of(modifier, "ignore"));
  return ir::Opaque{selector.terms.empty() ? std::nullopt : std::optional(std::move(selector))};
}

static ir::Origin origin_of(const Modifier& modifier) {
  ir::Origin origin{
      std::string(modifier.spec->name), modifier.ordinal, modifier.stage, modifier.group, modifier.key, {}};
  for (const Field& field : modifier.fields) {
    origin.fields.push_back({field.name, field.key, field.value, false});
  }
  return origin;
}

ir::Action lower(const Modifier& modifier, const Modules* modules) {
  return {effect_of(modifier, modules), ir::Cadence{}, origin_of(modifier), modifier.valid, looks_at_data(modifier)};
}

}  // namespace sparsecfg::dialect::llmcompressor
