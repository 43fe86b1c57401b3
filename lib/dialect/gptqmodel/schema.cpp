#include "dialect/record/schema.h"

#include <nlohmann/json.hpp>

#include "dialect/gptqmodel/read.h"
#include "dialect/gptqmodel/table.h"

namespace sparsecfg::dialect::gptqmodel {

using Json = nlohmann::ordered_json;

static Json accepted_values(const FieldSpec& field) {
  if (field.name == "bits")
    return {{"anyOf", {{{"type", "integer"}, {"minimum", 2}, {"maximum", 8}}, {{"type", "string"}}}}};
  if (field.name == "group_size") return {{"type", "integer"}, {"minimum", -1}};
  if (field.name == "dynamic")
    return {{"type", {"object", "null"}}, {"additionalProperties", reference(kDynamicEntry.name)}};
  SchemaRules rules;
  rules.truth = {{{"type", "boolean"}}};
  return rules.accepted(field);
}

std::string schema(const ReadOptions& /*options*/) {
  Json definitions = Json::object();
  for (const ClassSpec* spec : classes()) definitions[std::string(spec->name)] = schema_of(*spec, accepted_values);
  const Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "GPTQModel configuration"},
                    {"description", "quantize_config.json of GPTQModel and AutoGPTQ"},
                    {"allOf", {reference(kQuantizeConfig.name)}},
                    {"definitions", definitions}};
  return out.dump(2) + '\n';
}

}  // namespace sparsecfg::dialect::gptqmodel
