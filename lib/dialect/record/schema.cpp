#include "dialect/record/schema.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"

namespace sparsecfg::dialect {

using Json = nlohmann::ordered_json;

// --- mappings ---------------------------------------------------------------------------------------

void close_mapping(Json& schema, Json then) {
  schema["additionalProperties"] = false;
  if (then.empty()) {
    return;
  }
  Json names = Json::array();
  for (const auto& [name, field] : schema["properties"].items()) names.push_back(name);
  schema["if"] = {{"propertyNames", {{"enum", std::move(names)}}}};
  schema["then"] = std::move(then);
}

Json required_fields(Json names) { return names.empty() ? Json::object() : Json{{"required", std::move(names)}}; }

Json by_class(std::string_view key, const std::vector<std::string_view>& classes) {
  Json out = {{"type", "object"},
              {"required", {key}},
              {"properties", {{std::string(key), {{"enum", classes}}}}},
              {"allOf", Json::array()}};
  for (const std::string_view name : classes) {
    const Json named = {
        {"type", "object"}, {"required", {key}}, {"properties", {{std::string(key), {{"const", name}}}}}};
    out["allOf"].push_back({{"if", named}, {"then", reference(name)}});
  }
  return out;
}

// --- fields -----------------------------------------------------------------------------------------

Json number_within(const Bounds& bounds, bool exact_float) {
  Json out{{"type", exact_float ? Json("number") : Json{"number", "boolean"}}};
  if (std::isfinite(bounds.min)) {
    out[bounds.min_excluded ? "exclusiveMinimum" : "minimum"] = bounds.min;
  }
  if (std::isfinite(bounds.max)) {
    out[bounds.max_excluded ? "exclusiveMaximum" : "maximum"] = bounds.max;
  }
  return out;
}

constexpr std::string_view kNumberText = R"(^\s*[-+.0-9])";

Json number_text() { return {{"type", "string"}, {"pattern", kNumberText}}; }

static Json list_of(Json item) { return {{"type", "array"}, {"items", std::move(item)}}; }

// Returns a pattern for some words in any case: "^(?:[iI][nN][tT]|[fF]...)$".
static std::string any_case_pattern(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) {
    out += out.empty() ? "^(?:" : "|";
    for (const char c : word) {
      const std::string text(1, c);
      out += base::is_letter(c)        ? fmt::format("[{}{}]", base::to_lower(text), base::to_upper(text))
             : base::is_name_letter(c) ? text
                                       : "\\" + text;
    }
  }
  return out + ")$";
}

// Choices in any case cannot be an enum, so a pattern accepts them and the examples list them for editors.
static Json choice(const FieldSpec& field) {
  return field.any_case ? Json{{"type", "string"}, {"pattern", any_case_pattern(field.choices)}}
                        : Json{{"enum", field.choices}};
}

// The schemas of the values of a field by type, in the order of a schema.
class FieldSchema {
 public:
  FieldSchema(const SchemaRules& rules, const FieldSpec& field) : rules_(rules), field_(field) {}

  Json build() {
    if (field_.type == Type::any) {
      return Json::object();
    }
    add_numbers();
    add_texts();
    add_collections();
    add_records();
    if (!field_.token.empty()) values_.push_back({{"const", field_.token}});
    if (field_.nullable) values_.push_back({{"type", "null"}});
    if (!rules_.expression.is_null()) values_.push_back(rules_.expression);
    return with_records(values_.empty() ? Json::object() : values_.size() == 1 ? values_.front() : merged(values_));
  }

 private:
  void add(Type type, Json schema) {
    if (allows(field_.type, type)) values_.push_back(std::move(schema));
  }

  void add_numbers() {
    add(kNumbers | Type::whole, number_within(field_.bounds, allows(field_.type, Type::exact_float)));
    if (!allows(field_.type, kNumbers)) add(Type::integer, {{"type", "integer"}});
    add(Type::real | Type::whole, number_text());
    add(Type::boolean, {{"type", {"boolean", "number", "string"}}});
    add(Type::exact_boolean, {{"type", {"boolean", "number"}}});
    if (allows(field_.type, Type::truth)) {
      values_.insert(values_.end(), rules_.truth.begin(), rules_.truth.end());
      if (rules_.truth.empty()) values_.push_back(Json::object());
    }
  }

  void add_texts() {
    const Json text = {{"type", "string"}};
    add(Type::text, text);
    add(Type::texts, list_of(text));
    if (allows(field_.type, Type::reals)) {
      std::vector<Json> number = {number_within({}, false), number_text()};
      if (!rules_.expression.is_null()) number.push_back(rules_.expression);
      values_.push_back(list_of(merged(number)));
    }
  }

  void add_collections() {
    const Json mapping = {{"type", "object"}};
    add(Type::mapping | Type::any_mapping, mapping);
    add(Type::mappings, list_of(mapping));
    add(Type::groups, list_of({{"type", "array"}}));
    add(Type::text_groups, list_of(list_of({{"type", "string"}})));
    add(Type::layer_pairs, list_of({{"type", {"string", "array"}}}));
    add(Type::choice, choice(field_));
    add(Type::choices, list_of(choice(field_)));
    add(Type::list,
        allows(field_.type, kNumbers) ? list_of(number_within(field_.bounds, true)) : Json{{"type", "array"}});
    add(Type::selectors, rules_.selectors);
    add(Type::selectors_by, {{"type", "object"},
                             {"propertyNames", {{"pattern", kNumberText}}},
                             {"additionalProperties", reference("selectors")}});
  }

  void add_records() {
    if (!allows(field_.type, Type::record | Type::records | Type::named_records)) {
      return;
    }
    const Json record = rules_.record(*field_.record);
    add(Type::records, list_of(record));
    add(Type::named_records, {{"type", "object"}, {"additionalProperties", record}});
    if (allows(field_.type, Type::record)) record_ = record;
  }

  // Checks mappings against the record and all other values against `others`.
  Json with_records(Json others) const {
    if (record_.is_null()) {
      return others;
    }
    if (!others.contains("type")) {
      return record_;
    }
    return {{"if", {{"type", "object"}}}, {"then", record_}, {"else", std::move(others)}};
  }

  const SchemaRules& rules_;
  const FieldSpec& field_;
  std::vector<Json> values_;
  Json record_;
};

Json SchemaRules::accepted(const FieldSpec& field) const { return FieldSchema(*this, field).build(); }

Json examples_of(const FieldSpec& field) {
  Json out = Json::array();
  for (const std::string_view each : field.choices) out.push_back(each);
  for (const std::string_view each : field.suggested) out.push_back(default_of(each));
  if (!field.token.empty()) out.push_back(field.token);
  if (allows(field.type, Type::boolean | Type::exact_boolean | Type::truth)) {
    for (const bool value : {true, false}) out.push_back(value);
  }
  return out;
}

// Adds the known values of a field for editors. In a list they are values of the items.
static void add_examples(Json& schema, const FieldSpec& field) {
  constexpr Type kLists = Type::texts | Type::choices | Type::layer_pairs;
  constexpr Type kScalars = Type::text | Type::choice | Type::boolean | Type::exact_boolean | Type::truth | kNumbers |
                            Type::whole | Type::integer | Type::selectors;
  const Json examples = examples_of(field);
  if (examples.empty()) {
    return;
  }
  if (allows(field.type, kLists) && schema.contains("items")) schema["items"]["examples"] = examples;
  if (field.type == Type::any || allows(field.type, kScalars)) schema["examples"] = examples;
}

static bool is_deprecated(const FieldSpec& field) {
  return field.doc.starts_with("Deprecated") || field.doc.starts_with("Removed") ||
         field.doc.find("is still accepted") != std::string_view::npos;
}

// Returns true for a default that is a value, not words such as "by class" or "that of the method".
static bool is_value(std::string_view text) {
  constexpr std::string_view kQuotes = "[{\"'";
  return !text.empty() && (kQuotes.find(text.front()) != kQuotes.npos || text.find(' ') == text.npos);
}

Json describe_field(const FieldSpec& field, Json accepted) {
  Json out{{"description", field.doc}};
  if (is_value(field.default_value)) {
    out["default"] = default_of(field.default_value);
  }
  if (!field.no_effect.empty()) {
    out["deprecationMessage"] = fmt::format("no effect: {}", field.no_effect);
  } else if (is_deprecated(field)) {
    out["deprecationMessage"] = field.doc;
  }
  out.update(std::move(accepted));
  add_examples(out, field);
  return out;
}

void add_fields(Json& properties, Json& required, std::span<const FieldSpec> rows,
                const std::function<Json(const FieldSpec&)>& accepted) {
  for (const FieldSpec& field : rows) {
    properties[std::string(field.name)] = describe_field(field, accepted(field));
    if (field.required) required.push_back(field.name);
  }
}

Json schema_of(const ClassSpec& spec, const std::function<Json(const FieldSpec&)>& accepted, const Json& more) {
  Json properties = Json::object();
  Json required = Json::array();
  add_fields(properties, required, spec.fields, accepted);
  add_fields(properties, required, spec.common, accepted);
  properties.update(more);
  Json out = {{"title", spec.name}};
  if (!spec.doc.empty()) out["description"] = spec.doc;
  out.update({{"type", "object"}, {"properties", std::move(properties)}});
  if (spec.open) {
    out.update(required_fields(std::move(required)));
  } else {
    close_mapping(out, required_fields(std::move(required)));
  }
  return out;
}

// --- shared definitions -----------------------------------------------------------------------------

// Calls `visit` for each field of each definition.
static void for_each_field(Json& schema, auto visit) {
  for (auto& [title, definition] : schema["definitions"].items()) {
    if (!definition.is_object() || !definition.contains("properties")) continue;
    for (auto& [name, field] : definition["properties"].items()) {
      if (field.is_object() && !field.contains("$ref")) visit(name, field);
    }
  }
}

// Minimum length of a field schema, in bytes of JSON, that is moved to a definition.
constexpr std::size_t kMinShared = 60;

void share_fields(Json& schema) {
  std::map<std::pair<std::string, std::string>, int> uses;  // by name and JSON
  for_each_field(schema, [&](const std::string& name, const Json& field) { ++uses[{name, field.dump()}]; });
  std::map<std::pair<std::string, std::string>, std::string> names;
  std::map<std::string, int> variants;
  Json shared = Json::object();
  for_each_field(schema, [&](const std::string& name, Json& field) {
    const std::pair key(name, field.dump());
    if (uses[key] < 2 || key.second.size() < kMinShared) return;
    if (!names.contains(key)) {
      const int variant = ++variants[name];
      names[key] = "field." + name + (variant == 1 ? "" : "." + std::to_string(variant));
      shared[names[key]] = field;
    }
    field = reference(names[key]);
  });
  schema["definitions"].update(shared);
}

}  // namespace sparsecfg::dialect
