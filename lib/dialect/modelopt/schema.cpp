#include "dialect/modelopt/schema.h"

#include <nlohmann/json.hpp>

#include "dialect/modelopt/table.h"
#include "dialect/record/schema.h"

namespace sparsecfg::dialect::modelopt {

using Json = nlohmann::ordered_json;

static Json list_of(const Json& item) { return {{"type", "array"}, {"items", item}}; }

// An import can replace a mapping, or stand beside its keys.
static Json with_import(Json schema) {
  schema["properties"]["$import"] = any_of({{{"type", "string"}}, list_of({{"type", "string"}})});
  schema.erase("required");
  return schema;
}

static Json accepted_values(const FieldSpec& field) {
  if (field.name == "quant_cfg") return any_of({list_of(reference(kEntryClass.name)), {{"type", "object"}}});
  if (field.name == "cfg") {
    return any_of({reference(kAttributesClass.name), list_of(reference(kAttributesClass.name)), {{"type", "null"}}});
  }
  if (field.name == "candidate_formats") return list_of(reference(kQuantizeClass.name));
  if (field.name == "algorithm") {
    Json names = Json::array();
    for (const ClassSpec* each : algorithms()) names.push_back(each->name);
    return any_of({{{"enum", names}}, {{"type", "object"}}, {{"type", "array"}}, {{"type", "null"}}});
  }
  if (field.name == "recipe_type") {
    Json names = Json::array();
    for (const RecipeType& each : recipe_types()) names.push_back(each.name);
    return {{"enum", names}};
  }
  SchemaRules rules;
  rules.truth = {{{"type", "boolean"}}};
  rules.record = [](const ClassSpec& spec) { return reference(spec.name); };
  return rules.accepted(field);
}

std::string schema(const ReadOptions&) {
  Json definitions = Json::object();
  for (const ClassSpec* spec : classes()) {
    Json each = schema_of(*spec, accepted_values);
    const bool imports = spec == &kEntryClass || spec == &kAttributesClass || spec == &kQuantizeClass;
    definitions[std::string(spec->name)] = imports ? with_import(std::move(each)) : std::move(each);
  }
  const Json imports = {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
  const Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "ModelOpt recipe"},
                    {"description", "Recipe of NVIDIA Model Optimizer with `metadata`, or a list of entries."},
                    {"type", "object"},
                    {"properties",
                     {{"imports", imports},
                      {"metadata", reference(kMetadata.name)},
                      {"quantize", reference(kQuantizeClass.name)},
                      {"auto_quantize", reference(kAutoQuantize.name)}}},
                    {"required", {"metadata"}},
                    {"definitions", definitions}};
  return out.dump(2) + '\n';
}

}  // namespace sparsecfg::dialect::modelopt
