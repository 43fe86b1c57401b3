#include "dialect/stages/schema.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "dialect/schema_parts.h"

namespace sparsecfg::dialect::stages {

using Json = nlohmann::ordered_json;

static Json expression() { return {{"type", "string"}, {"pattern", "eval\\("}}; }

static Json list_of(Json item) { return {{"type", "array"}, {"items", std::move(item)}}; }

class SchemaBuilder {
 public:
  SchemaBuilder(const Table& table, bool expressions) : table_(table), expressions_(expressions) {}

  Json build() {
    Json named = Json::object();
    for (const ModifierSpec& modifier : table_.modifiers) {
      const std::string definition = fmt::format("stages.{}", modifier.name);
      out_[definition] = object_of(modifier.name, {modifier.fields, table_.common}, false);
      out_[definition]["description"] = modifier.doc;
      named[std::string(modifier.name)] = reference(definition);
    }
    out_["stages.group"] = {{"type", "object"}, {"properties", std::move(named)}, {"additionalProperties", false}};
    return std::move(out_);
  }

 private:
  // Numbers, booleans and strings that contain a number are converted to each other.
  Json number() const {
    std::vector<Json> forms = {{{"type", {"number", "boolean"}}}, {{"type", "string"}, {"pattern", R"(^\s*[-+.0-9])"}}};
    if (expressions_) forms.push_back(expression());
    return merged(forms);
  }

  static Json choice(const FieldSpec& field) {
    if (field.any_case) {
      return {{"type", "string"}, {"examples", field.choices}};
    }
    return {{"enum", field.choices}};
  }

  // Returns a reference to the definition of a record. Adds the definition if it is new.
  Json record(const RecordSpec& spec) {
    const std::string definition = fmt::format("stages.{}", spec.name);
    if (!out_.contains(definition)) {
      out_[definition] = Json::object();
      Json built = object_of(spec.name, {spec.fields, {}}, spec.open);
      out_[definition] = std::move(built);
    }
    return reference(definition);
  }

  Json value_schema(const FieldSpec& field, Type type) {
    const Json text = {{"type", "string"}};
    switch (type) {
      case Type::any: return Json::object();
      case Type::real:
      case Type::whole: return number();
      case Type::boolean: return {{"type", {"boolean", "number", "string"}}};
      case Type::exact_boolean: return {{"type", {"boolean", "number"}}};
      case Type::text: return text;
      case Type::texts: return list_of(text);
      case Type::reals: return list_of(number());
      case Type::mapping: return {{"type", "object"}};
      case Type::mappings: return list_of({{"type", "object"}});
      case Type::groups: return list_of({{"type", "array"}});
      case Type::layer_pairs: return list_of({{"type", {"string", "array"}}});
      case Type::choice: return choice(field);
      case Type::choices: return list_of(choice(field));
      case Type::record: return record(*field.record);
      case Type::records: return list_of(record(*field.record));
      case Type::named_records: return {{"type", "object"}, {"additionalProperties", record(*field.record)}};
      default: return Json::object();  // only in other dialects
    }
    return Json::object();
  }

  Json accepted(const FieldSpec& field) {
    static constexpr std::array kTypes = {Type::real,   Type::whole,       Type::boolean,       Type::text,
                                          Type::texts,  Type::reals,       Type::mapping,       Type::mappings,
                                          Type::groups, Type::layer_pairs, Type::choice,        Type::choices,
                                          Type::record, Type::records,     Type::named_records, Type::exact_boolean};
    if (field.type == Type::any) {
      return Json::object();
    }
    std::vector<Json> values;
    Json records = Json::array();
    for (const Type type : kTypes) {
      if (allows(field.type, type)) {
        Json value = value_schema(field, type);
        (value.contains("$ref") ? records.push_back(std::move(value)) : values.push_back(std::move(value)));
      }
    }
    if (field.nullable) {
      values.push_back({{"type", "null"}});
    }
    if (expressions_) {
      values.push_back(expression());
    }
    return with_records(values.empty() ? Json::object() : merged(values), std::move(records));
  }

  // Checks mappings against the record and all other values against `others`.
  static Json with_records(Json others, Json records) {
    if (records.empty()) {
      return others;
    }
    if (others.empty() || !others.contains("type")) {
      return records.front();
    }
    return {{"if", {{"type", "object"}}}, {"then", records.front()}, {"else", std::move(others)}};
  }

  Json object_of(std::string_view title, std::array<std::span<const FieldSpec>, 2> parts, bool open) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const std::span<const FieldSpec> fields : parts) {
      add_fields(properties, required, fields, [this](const FieldSpec& field) { return accepted(field); });
    }
    Json out = {{"title", title}, {"description", ""}, {"type", "object"}, {"properties", std::move(properties)}};
    if (open) {
      out.update(required_fields(std::move(required)));
    } else {
      close_mapping(out, required_fields(std::move(required)));
    }
    return out;
  }

  const Table& table_;
  bool expressions_;
  Json out_ = Json::object();
};

Json schema_definitions(const Table& table, bool expressions) { return SchemaBuilder(table, expressions).build(); }

}  // namespace sparsecfg::dialect::stages
