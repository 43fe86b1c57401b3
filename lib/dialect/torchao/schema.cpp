#include "dialect/record/schema.h"

#include <nlohmann/json.hpp>

#include "dialect/torchao/read.h"
#include "dialect/torchao/table.h"

namespace sparsecfg::dialect::torchao {

using Json = nlohmann::ordered_json;

static Json accepted_values(const FieldSpec& field) {
  SchemaRules rules;
  rules.truth = {{{"type", "boolean"}}};
  return rules.accepted(field);
}

// A configuration: its class selects the fields.
static Json serialized(const ClassSpec& spec) {
  const Json data = schema_of(spec, accepted_values);
  return {{"type", "object"},
          {"required", {"_type", "_data"}},
          {"properties", {{"_type", {{"const", spec.name}}}, {"_version", {{"const", spec.flags}}}, {"_data", data}}}};
}

std::string schema(const ReadOptions& /*options*/) {
  Json choices = Json::array();
  for (const ClassSpec* spec : config_classes()) choices.push_back(serialized(*spec));
  const Json map = {{"type", "object"},
                    {"required", {"_type", "_data"}},
                    {"properties", {{"_type", {{"enum", {"FqnToConfig", "ModuleFqnToConfig"}}}}}}};
  choices.push_back(map);
  Json config = schema_of(kTorchAoConfig, accepted_values);
  config["properties"]["quant_type"] = {{"type", "object"},
                                        {"required", {"default"}},
                                        {"additionalProperties", false},
                                        {"properties", {{"default", {{"anyOf", choices}}}}}};
  const Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "torchao configuration"},
                    {"description", "The `quantization_config` of transformers for torchao"},
                    {"type", "object"},
                    {"properties", {{"quantization_config", config}}}};
  return out.dump(2) + '\n';
}

}  // namespace sparsecfg::dialect::torchao
