#include "dialect/stages/schema.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "dialect/stages/table.h"
#include "dialect/sparseml/table/schema_parts.h"

namespace sparsecfg::dialect::stages {

using Json = nlohmann::ordered_json;

static Json list_of(Json item) { return {{"type", "array"}, {"items", std::move(item)}}; }

// Numbers, booleans and texts that hold them are made into each other.
static Json number() {
  return {{"anyOf", {{{"type", {"number", "boolean"}}}, sparseml::reference("numberText"), sparseml::reference("core.expression")}}};
}

static Json value_schema(Accepts type) {
  Json text = {{"type", "string"}};
  switch (type) {
    case Accepts::anything: return Json::object();
    case Accepts::real:
    case Accepts::whole: return number();
    case Accepts::boolean: return {{"type", {"boolean", "number", "string"}}};
    case Accepts::text: return text;
    case Accepts::texts: return list_of(text);
    case Accepts::reals: return list_of(number());
    case Accepts::mapping: return {{"type", "object"}};
    case Accepts::mappings: return list_of({{"type", "object"}});
    case Accepts::groups: return list_of({{"type", "array"}});
    case Accepts::layer_pairs: return list_of({{"type", {"string", "array"}}});
  }
  return Json::object();
}

static Json accepted(const FieldSpec& field) {
  static constexpr std::array kTypes = {Accepts::real,   Accepts::whole,      Accepts::boolean, Accepts::text,
                                        Accepts::texts,  Accepts::reals,      Accepts::mapping, Accepts::mappings,
                                        Accepts::groups, Accepts::layer_pairs};
  if (field.accepts == Accepts::anything) {
    return Json::object();
  }
  Json values = Json::array();
  for (const Accepts type : kTypes) {
    if (allows(field.accepts, type)) {
      values.push_back(value_schema(type));
    }
  }
  if (field.nullable) {
    values.push_back({{"type", "null"}});
  }
  values.push_back(sparseml::reference("core.expression"));
  return {{"anyOf", std::move(values)}};
}

static Json describe(const ModifierSpec& modifier) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const auto& fields : {modifier.fields, common_fields()}) {
    for (const FieldSpec& field : fields) {
      properties[std::string(field.name)] = sparseml::describe_field(field, accepted(field));
      if (field.required) {
        required.push_back(field.name);
      }
    }
  }
  return {{"title", modifier.name},
          {"description", modifier.doc},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json schema_definitions() {
  Json out = {{"core.expression",
               {{"type", "string"}, {"pattern", "eval\\("}, {"description", "Computed from the recipe's variables."}}}};
  Json named = Json::object();
  for (const ModifierSpec& modifier : modifiers()) {
    const std::string definition = fmt::format("core.{}", modifier.name);
    out[definition] = describe(modifier);
    named[std::string(modifier.name)] = sparseml::reference(definition);
  }
  out["core.group"] = {{"type", "object"}, {"properties", std::move(named)}, {"additionalProperties", false}};
  return out;
}

}  // namespace sparsecfg::dialect::stages
