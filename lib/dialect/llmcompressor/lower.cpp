#include "dialect/llmcompressor/reading.h"

#include "dialect/llmcompressor/model.h"
#include "dialect/schemes/lower.h"

namespace sparsecfg::dialect::llmcompressor {

// Returns the quantization by the groups of a modifier.
static ir::Effect quantize(const Modifier& modifier, const Modules* modules) {
  return schemes::quantize(groups_of(modifier), entries_of(modifier, "ignore"), modifier.key, modules);
}

static ir::Effect effect_of(const Modifier& modifier, const Modules* modules) {
  if (quantizes(meaning_of(modifier))) {
    return quantize(modifier, modules);
  }
  if (modifier.spec->find("targets") == nullptr) {
    return ir::Opaque{};
  }
  model::Selector selector{schemes::terms_of(entries_of(modifier, "targets")), model::Selector::Over::modules, false};
  selector.excluded = schemes::terms_of(entries_of(modifier, "ignore"));
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
