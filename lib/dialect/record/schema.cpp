#include "dialect/record/schema.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace sparsecfg::dialect {

using Json = nlohmann::ordered_json;

// --- several types in one schema --------------------------------------------------------------------

// Collects the accepted types, words, patterns and bounds.
class TypeMerger {
 public:
  void add(const Json& schema) {
    if (schema.empty()) {
      anything_ = true;
    } else if (schema.contains("anyOf")) {
      for (const Json& each : schema["anyOf"]) add(each);
    } else if (schema.contains("enum") || schema.contains("const")) {
      for (const Json& word : schema.contains("const") ? Json::array({schema["const"]}) : schema["enum"])
        add_word(word);
    } else {
      add_typed(schema);
    }
  }

  [[nodiscard]] Json result() const {
    if (anything_) {
      return Json::object();
    }
    Json out = {{"type", types_.size() == 1 ? types_.front() : Json(types_)}};
    out.update(keywords_);
    if (!any_string_) add_strings(out);
    return out;
  }

 private:
  void add_type(const Json& type) {
    if (std::ranges::find(types_, type) == types_.end()) types_.push_back(type);
  }

  void add_word(const Json& word) {
    add_type(word.is_string() ? "string" : word.is_boolean() ? "boolean" : word.is_null() ? "null" : "number");
    if (word.is_string() && std::ranges::find(words_, word) == words_.end()) words_.push_back(word);
  }

  void add_typed(const Json& schema) {
    bool has_string = false;
    for (const Json& type : schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]})) {
      add_type(type);
      has_string = has_string || type == "string";
    }
    any_string_ = any_string_ || (has_string && !schema.contains("pattern"));
    for (const auto& [keyword, value] : schema.items()) {
      if (keyword == "pattern") {
        patterns_.insert(value.get<std::string>());
      } else if (keyword != "type" && keyword != "description") {
        add_keyword(keyword, value);
      }
    }
  }

  void add_keyword(const std::string& keyword, const Json& value) {
    if (!keywords_.contains(keyword)) {
      keywords_[keyword] = value;
    } else if (keyword.ends_with("inimum")) {
      keywords_[keyword] = std::min(keywords_[keyword].get<double>(), value.get<double>());
    } else if (keyword.ends_with("aximum")) {
      keywords_[keyword] = std::max(keywords_[keyword].get<double>(), value.get<double>());
    } else if (keywords_[keyword] != value) {
      keywords_.erase(keyword);
    }
  }

  // A string that matches no pattern must be one of the words.
  void add_strings(Json& out) const {
    std::string pattern;
    for (const std::string& each : patterns_) {
      const bool is_part = std::ranges::any_of(
          patterns_, [&](const std::string& other) { return other != each && other.find(each) != std::string::npos; });
      if (!is_part) pattern += (pattern.empty() ? "" : "|") + each;
    }
    if (words_.empty()) {
      if (!pattern.empty()) out["pattern"] = pattern;
      return;
    }
    out["if"] = {{"type", "string"}};
    if (!pattern.empty()) out["if"]["not"] = {{"pattern", pattern}};
    out["then"] = {{"enum", words_}};
  }

  std::vector<Json> types_;
  std::vector<Json> words_;
  std::set<std::string> patterns_;
  Json keywords_ = Json::object();
  bool any_string_ = false;
  bool anything_ = false;
};

// If one alternative has an inclusive bound and another an exclusive one, keeps the wider bound.
static void drop_narrower(Json& schema, const char* included, const char* excluded, bool is_least) {
  if (!schema.contains(included) || !schema.contains(excluded)) {
    return;
  }
  const double with = schema[included];
  const double without = schema[excluded];
  schema.erase((is_least ? with <= without : with >= without) ? excluded : included);
}

Json merged(const std::vector<Json>& alternatives) {
  TypeMerger merger;
  for (const Json& each : alternatives) merger.add(each);
  Json out = merger.result();
  drop_narrower(out, "minimum", "exclusiveMinimum", true);
  drop_narrower(out, "maximum", "exclusiveMaximum", false);
  return out;
}

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

static Json choice(const FieldSpec& field) {
  return field.any_case ? Json{{"type", "string"}} : Json{{"enum", field.choices}};
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

Json describe_field(const FieldSpec& field, Json accepted) {
  Json out{{"description", field.doc}};
  if (!field.default_value.empty() && !field.default_value.starts_with("by ")) {
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
