#include "dialect/record/schema.h"

#include <nlohmann/json.hpp>

#include "dialect/autoround/read.h"
#include "dialect/autoround/table.h"

namespace sparsecfg::dialect::autoround {

using Json = nlohmann::ordered_json;

static Json accepted_values(const FieldSpec& field) {
  if (field.name == "bits") return {{"enum", {2, 3, 4, 8, 16}}};
  if (field.name == "extra_config") return {{"type", "object"}, {"additionalProperties", {{"type", "object"}}}};
  SchemaRules rules;
  rules.truth = {{{"type", "boolean"}}};
  return rules.accepted(field);
}

std::string schema(const ReadOptions& /*options*/) {
  Json definitions = Json::object();
  definitions[std::string(kSavedConfig.name)] = schema_of(kSavedConfig, accepted_values);
  const Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "Saved configuration of AutoRound"},
                    {"description", "The `quantization_config` that AutoRound writes"},
                    {"type", "object"},
                    {"properties", {{"quantization_config", reference(kSavedConfig.name)}}},
                    {"definitions", definitions}};
  return out.dump(2) + '\n';
}

}  // namespace sparsecfg::dialect::autoround
