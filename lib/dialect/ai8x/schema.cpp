#include "dialect/record/schema.h"

#include <nlohmann/json.hpp>

#include "dialect/ai8x/read.h"

namespace sparsecfg::dialect::ai8x {

using Json = nlohmann::ordered_json;

static Json accepted_values(const FieldSpec& field) {
  if (field.name == "weight_bits") {
    return {{"enum", {1, 2, 4, 8}}};
  }
  if (field.name == "teacher_model") {
    return {{"enum", {"full_model", "prev_stage_model"}}};
  }
  SchemaRules rules;
  rules.truth = {{{"type", "boolean"}}};
  rules.record = [](const ClassSpec& spec) { return reference(spec.name); };
  return rules.accepted(field);
}

std::string schema(const ReadOptions&) {
  Json definitions = Json::object();
  for (const ClassSpec* spec : classes()) definitions[std::string(spec->name)] = schema_of(*spec, accepted_values);
  definitions[std::string(kQatPolicy.name)]["properties"]["start_epoch"]["exclusiveMinimum"] = 0;
  const Json out = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "ai8x-training policy"},
      {"description", "QAT policy or NAS policy of ai8x-training. A policy with `elastic_kernel` is a NAS policy."},
      {"if", {{"required", {"elastic_kernel"}}}},
      {"then", reference(kNasPolicy.name)},
      {"else", reference(kQatPolicy.name)},
      {"definitions", definitions}};
  return out.dump(2) + '\n';
}

}  // namespace sparsecfg::dialect::ai8x
