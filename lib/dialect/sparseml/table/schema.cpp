#include "dialect/sparseml/table/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "dialect/schema_parts.h"
#include "dialect/sparseml/staged/table.h"
#include "dialect/stages/schema.h"

namespace sparsecfg::dialect::sparseml {

using Json = nlohmann::ordered_json;

// The name of a modifier's definition: a further row of the same name is another class.
static std::string definition_of(Framework framework, const ModifierSpec& modifier) {
  const auto at = &modifier - find_modifier(framework, modifier.name);
  return at == 0 ? std::string(modifier.name) : fmt::format("{}.older", modifier.name);
}

// Python takes a boolean for a number; only where a float must stand it is refused.
static Json number_within(const Bounds& bounds, bool real) {
  Json out{{"type", real ? Json("number") : Json{"number", "boolean"}}};
  if (std::isfinite(bounds.min)) {
    out[bounds.least_excluded ? "exclusiveMinimum" : "minimum"] = bounds.min;
  }
  if (std::isfinite(bounds.max)) {
    out[bounds.most_excluded ? "exclusiveMaximum" : "maximum"] = bounds.max;
  }
  return out;
}

// What fits a field's type; empty if everything does.
static std::vector<Json> values_of(const FieldSpec& field) {
  switch (field.type) {
    case Type::any: return {};
    case Type::epoch:
    case Type::rate: return {number_within(field.bounds, false), reference("numberText")};
    case Type::number:
    case Type::real: return {number_within(field.bounds, field.type == Type::real)};
    case Type::choice: return {Json{{"enum", field.choices}}};
    case Type::boolean: return {Json{{"type", "boolean"}}, reference("booleanWord")};
    case Type::text: return {Json{{"type", "string"}}};
    case Type::list: return {Json{{"type", "array"}}};
    case Type::mapping: return {Json{{"type", "object"}}};
    case Type::selectors: return {reference("selectors")};
  }
  return {};
}

static Json sparsities_to_selectors() {
  return {
      {"type", "object"}, {"propertyNames", reference("numberText")}, {"additionalProperties", reference("selectors")}};
}

// The type and all that is taken besides. Any value may be computed by an expression.
static Json accepted(const FieldSpec& field) {
  std::vector<Json> values = values_of(field);
  if (values.empty()) {
    return Json::object();
  }
  if (field.listed) {
    values.push_back({{"type", "array"}, {"items", number_within(field.bounds, field.type == Type::real)}});
  }
  if (field.by_selector) {
    values.push_back(sparsities_to_selectors());
  }
  if (!field.token.empty()) {
    values.push_back({{"const", field.token}});
  }
  if (field.nullable) {
    values.push_back({{"type", "null"}});
  }
  values.push_back(reference("expression"));
  return any_of(std::move(values));
}

static Json describe(const ModifierSpec& modifier) {
  Json properties = Json::object();
  Json required = Json::array();
  add_fields(properties, required, modifier.fields, accepted);
  properties["log_types"] = {{"description", "Removed: deleted before anybody looks at it."},
                             {"deprecationMessage", "without effect"}};
  return {{"title", modifier.name},
          {"description", modifier.doc},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

// A mapping with the tag as its one key; the fields of a modifier that needs none may be left out.
static Json tagged(Framework framework) {
  Json properties = Json::object();
  for (const ModifierSpec& modifier : modifiers(framework)) {
    std::vector<Json> fields;
    bool needs_none = false;
    for (const ModifierSpec& row : find_modifiers(framework, modifier.name)) {
      fields.push_back(reference(definition_of(framework, row)));
      needs_none = needs_none || std::ranges::none_of(row.fields, &FieldSpec::required);
    }
    if (needs_none) {
      fields.push_back({{"type", "null"}});
    }
    properties["!" + std::string(modifier.name)] = any_of(std::move(fields));
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false},
          {"minProperties", 1},
          {"maxProperties", 1}};
}

// An item of a list of modifiers; null is a tag with nothing below it, as an editor sees it.
static Json item(Framework framework) {
  std::vector<Json> forms;
  for (const ModifierSpec& modifier : modifiers(framework)) {
    forms.push_back(reference(definition_of(framework, modifier)));
  }
  forms.push_back(reference("tagged"));
  forms.push_back({{"type", "null"}});
  return any_of(std::move(forms));
}

static Json definitions(Framework framework) {
  Json out = {
      {"expression",
       {{"type", "string"},
        {"pattern", "^eval\\([\\s\\S]*\\)$"},
        {"description", "Computed from the recipe's variables."}}},
      {"numberText", {{"type", "string"}, {"pattern", "^\\s*[-+.0-9]"}}},
      // Editors read YAML 1.2, where the bare words of YAML 1.1 are texts; some fields know them in quotes too.
      {"booleanWord",
       {{"enum",
         {"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "true", "True", "TRUE", "false",
          "False", "FALSE"}}}},
      {"selectors", any_of({{{"type", "array"}, {"items", {{"type", {"string", "array"}}}}},
                            {{"type", "string"}, {"pattern", "^__[Aa][Ll][Ll](_[Pp][Rr][Uu][Nn][Aa][Bb][Ll][Ee])?__$"}},
                            {{"type", "null"}},
                            reference("expression")})},
      {"group", {{"type", {"array", "object", "null"}}, {"items", reference("modifier")}}},
      {"modifier", item(framework)},
      {"tagged", tagged(framework)},
  };
  for (const ModifierSpec& modifier : modifiers(framework)) {
    out[definition_of(framework, modifier)] = describe(modifier);
  }
  return out;
}

// The newer recipes: stages that hold mappings from names to fields where the older ones hold lists.
static void add_stages(Json& schema) {
  const Json by_name = {{"if", {{"type", "object"}}}, {"then", reference("stages.group")}};
  const Json groups = {{"modifiers", reference("group")}, {"_modifiers$", by_name}};
  schema["properties"] = {{"stages", {{"additionalProperties", reference("stage")}}}};
  schema["patternProperties"]["_stage$"] = reference("stage");
  schema["definitions"]["stage"] = {{"patternProperties", groups}};
  schema["definitions"].update(stages::schema_definitions(staged::table(), true));
}

std::string schema(Framework framework) {
  const Json groups = {{"modifiers", reference("group")}};
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", fmt::format("SparseML recipe ({})", name_of(framework))},
              {"description",
               "Lists of modifiers under keys that contain `modifiers`, at the top or in stages; the other keys "
               "are variables."},
              {"type", "object"},
              {"patternProperties", groups},
              {"additionalProperties", {{"patternProperties", groups}}},
              {"definitions", definitions(framework)}};
  if (framework == Framework::pytorch) {
    add_stages(out);
  }
  return out.dump(2) + '\n';
}

}  // namespace sparsecfg::dialect::sparseml
