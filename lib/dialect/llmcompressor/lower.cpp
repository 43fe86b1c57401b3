#include "dialect/llmcompressor/lower.h"

#include "dialect/llmcompressor/rules.h"

namespace sparsecfg::dialect::llmcompressor {

static void add_terms(std::vector<ir::Term>& terms, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (!is_pattern(entry.text)) {
      terms.push_back({ir::Term::Kind::exact, entry.text, entry.span});
    } else if (!fault_of(entry.text)) {
      terms.push_back({ir::Term::Kind::pattern, entry.text.substr(3), entry.span});
    }
  }
}

static ir::Effect effect_of(const Modifier& modifier) {
  ir::Selector selector{{}, ir::Selector::Over::layers, false};
  if (quantizes(meaning_of(modifier))) {
    for (const Group& group : groups_of(modifier)) add_terms(selector.terms, group.targets);
  } else if (modifier.table->find(*modifier.spec, "targets") != nullptr) {
    add_terms(selector.terms, entries_of(modifier, "targets"));
  }
  if (meaning_of(modifier) != Meaning::reap) {
    add_terms(selector.excluded, entries_of(modifier, "ignore"));
  }
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

ir::Action lower(const Modifier& modifier) {
  return {effect_of(modifier), ir::Cadence{}, origin_of(modifier), modifier.valid, looks_at_data(modifier)};
}

}  // namespace sparsecfg::dialect::llmcompressor
