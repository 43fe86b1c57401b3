#include "dialect/sparseml/table/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "dialect/record/schema.h"
#include "dialect/sparseml/staged/table.h"
#include "dialect/stages/schema.h"

namespace sparsecfg::dialect::sparseml {

using Json = nlohmann::ordered_json;

// Returns the schema definition name of a modifier. A second row of the same name is another class.
static std::string definition_of(Framework framework, const ClassSpec& modifier) {
  const auto at = &modifier - find_modifier(framework, modifier.name);
  return at == 0 ? std::string(modifier.name) : fmt::format("{}.older", modifier.name);
}

static Json expression() { return {{"type", "string"}, {"pattern", R"(^eval\([\s\S]*\)$)"}}; }

// Editors read YAML 1.2, where the boolean words of YAML 1.1 are strings. Some fields also accept them in quotes.
static Json boolean_word() {
  return {{"enum",
           {"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "true", "True", "TRUE",
            "false", "False", "FALSE"}}};
}

static Json selectors() {
  return merged({{{"type", "array"}, {"items", {{"type", {"string", "array"}}}}},
                 {{"type", "string"}, {"pattern", "^__[Aa][Ll][Ll](_[Pp][Rr][Uu][Nn][Aa][Bb][Ll][Ee])?__$"}},
                 {{"type", "null"}},
                 expression()});
}

static const SchemaRules& rules() {
  static const SchemaRules kRules{
      .expression = expression(),
      .truth = {Json{{"type", {"boolean", "integer"}}, {"minimum", 0}, {"maximum", 1}}, boolean_word()},
      .selectors = selectors()};
  return kRules;
}

static Json accepted(const FieldSpec& field) { return rules().accepted(field); }

static Json describe(const ClassSpec& modifier) {
  return schema_of(modifier, accepted,
                   {{"log_types",
                     {{"description", "Removed. SparseML deletes this field before it reads the modifier."},
                      {"deprecationMessage", "no effect"}}}});
}

// Returns the schema of a mapping whose only key is the tag. The fields may be omitted if none is required.
static Json tagged(Framework framework) {
  Json properties = Json::object();
  for (const ClassSpec& modifier : modifiers(framework)) {
    std::vector<Json> fields;
    bool needs_none = false;
    for (const ClassSpec& row : find_modifiers(framework, modifier.name)) {
      fields.push_back(reference(definition_of(framework, row)));
      needs_none = needs_none || std::ranges::none_of(row.fields, &FieldSpec::required);
    }
    Json form = any_of(std::move(fields));
    if (needs_none) form = {{"if", {{"type", "null"}}}, {"else", std::move(form)}};
    properties["!" + std::string(modifier.name)] = std::move(form);
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false},
          {"minProperties", 1},
          {"maxProperties", 1}};
}

// --- modifiers without their tag ---------------------------------------------------------------------

// The field names of a modifier, and the required ones among them.
struct FieldSets {
  std::set<std::string_view> all;
  std::set<std::string_view> required;
};

static std::vector<FieldSets> field_sets(Framework framework) {
  std::vector<FieldSets> out;
  for (const ClassSpec& modifier : modifiers(framework)) {
    FieldSets sets{{"log_types"}, {}};
    for (const FieldSpec& field : modifier.fields) {
      sets.all.insert(field.name);
      if (field.required) sets.required.insert(field.name);
    }
    out.push_back(std::move(sets));
  }
  return out;
}

// Returns true if every modifier that has the field `one` requires the field `other`.
static bool implies(const std::vector<FieldSets>& sets, std::string_view one, std::string_view other) {
  return std::ranges::all_of(
      sets, [&](const FieldSets& each) { return !each.all.contains(one) || each.required.contains(other); });
}

// Returns a condition for each field that other fields imply: if one of them is present, the field is required.
static Json implications(const std::vector<FieldSets>& sets, const Json& properties) {
  Json out = Json::array();
  for (const auto& [needed, ignored] : properties.items()) {
    Json causes = Json::array();
    for (const auto& [cause, also_ignored] : properties.items()) {
      if (cause != needed && implies(sets, cause, needed)) causes.push_back({{"required", {cause}}});
    }
    if (!causes.empty()) out.push_back({{"if", {{"anyOf", std::move(causes)}}}, {"then", {{"required", {needed}}}}});
  }
  return out;
}

// Returns a schema for any modifier, for editors that drop the tag. A field accepts the union of its types in all
// modifiers, unknown names are rejected, and fields that always occur together must do so.
static Json untagged(Framework framework) {
  std::map<std::string_view, std::vector<Json>> accepted_by_name;
  Json properties = Json::object();
  for (const ClassSpec& modifier : modifiers(framework)) {
    for (const FieldSpec& field : modifier.fields) {
      accepted_by_name[field.name].push_back(accepted(field));
      properties[std::string(field.name)] = {{"description", field.doc}};
    }
  }
  for (const auto& [name, values] : accepted_by_name) properties[std::string(name)].update(merged(values));
  properties["log_types"] = Json::object();
  Json out = {{"type", {"object", "null"}}, {"properties", properties}};
  close_mapping(out, {{"allOf", implications(field_sets(framework), properties)}});
  return out;
}

// Returns the schema of an item of a modifier list, with its tag as the only key or without its tag. A tag without
// fields is null.
static Json item() {
  return {{"if", {{"type", "object"}, {"minProperties", 1}, {"propertyNames", {{"pattern", "^!"}}}}},
          {"then", reference("tagged")},
          {"else", reference("untagged")}};
}

static Json definitions(Framework framework) {
  Json out = {
      {"selectors", selectors()},
      {"group", {{"type", {"array", "object", "null"}}, {"items", reference("modifier")}}},
      {"modifier", item()},
      {"tagged", tagged(framework)},
      {"untagged", untagged(framework)},
  };
  for (const ClassSpec& modifier : modifiers(framework)) {
    out[definition_of(framework, modifier)] = describe(modifier);
  }
  return out;
}

// Adds the newer recipe format, whose stages contain mappings from modifier names to fields instead of lists.
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
               "Lists of modifiers under keys that contain `modifiers`, at the top level or in stages. All other keys "
               "are variables."},
              {"type", "object"},
              {"patternProperties", groups},
              {"additionalProperties", {{"patternProperties", groups}}},
              {"definitions", definitions(framework)}};
  if (framework == Framework::pytorch) {
    add_stages(out);
  }
  share_fields(out);
  return out.dump(2) + '\n';
}

}  // namespace sparsecfg::dialect::sparseml
