#include "dialect/stages/schema.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "dialect/schema_parts.h"

namespace sparsecfg::dialect::stages {

using Json = nlohmann::ordered_json;

constexpr std::string_view kExpression = "stages.expression";

static Json list_of(Json item) { return {{"type", "array"}, {"items", std::move(item)}}; }

class SchemaBuilder {
 public:
  SchemaBuilder(const Table& table, bool expressions) : table_(table), expressions_(expressions) {}

  Json build() {
    if (expressions_) {
      out_[std::string(kExpression)] = {
          {"type", "string"}, {"pattern", "eval\\("}, {"description", "Computed from the recipe's variables."}};
    }
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
  // Numbers, booleans and strings that hold them are made into each other.
  Json number() const {
    Json forms = {{{"type", {"number", "boolean"}}}, reference("numberText")};
    if (expressions_) forms.push_back(reference(kExpression));
    return {{"anyOf", std::move(forms)}};
  }

  static Json choice(const FieldSpec& field) {
    if (field.any_case) {
      return {{"type", "string"}, {"examples", field.choices}};
    }
    return {{"enum", field.choices}};
  }

  // A reference to the definition of a record, which is added where it is new.
  Json record(const RecordSpec& spec) {
    const std::string definition = fmt::format("stages.{}", spec.name);
    if (!out_.contains(definition)) {
      out_[definition] = Json::object();
      Json built = object_of(spec.name, {spec.fields, {}}, spec.open);
      out_[definition] = std::move(built);
    }
    return reference(definition);
  }

  Json value_schema(const FieldSpec& field, Accepts type) {
    const Json text = {{"type", "string"}};
    switch (type) {
      case Accepts::anything: return Json::object();
      case Accepts::real:
      case Accepts::whole: return number();
      case Accepts::boolean: return {{"type", {"boolean", "number", "string"}}};
      case Accepts::exact_boolean: return {{"type", {"boolean", "number"}}};
      case Accepts::text: return text;
      case Accepts::texts: return list_of(text);
      case Accepts::reals: return list_of(number());
      case Accepts::mapping: return {{"type", "object"}};
      case Accepts::mappings: return list_of({{"type", "object"}});
      case Accepts::groups: return list_of({{"type", "array"}});
      case Accepts::layer_pairs: return list_of({{"type", {"string", "array"}}});
      case Accepts::choice: return choice(field);
      case Accepts::choices: return list_of(choice(field));
      case Accepts::record: return record(*field.record);
      case Accepts::records: return list_of(record(*field.record));
      case Accepts::named_records: return {{"type", "object"}, {"additionalProperties", record(*field.record)}};
    }
    return Json::object();
  }

  Json accepted(const FieldSpec& field) {
    static constexpr std::array kTypes = {
        Accepts::real,   Accepts::whole,       Accepts::boolean,       Accepts::text,
        Accepts::texts,  Accepts::reals,       Accepts::mapping,       Accepts::mappings,
        Accepts::groups, Accepts::layer_pairs, Accepts::choice,        Accepts::choices,
        Accepts::record, Accepts::records,     Accepts::named_records, Accepts::exact_boolean};
    if (field.accepts == Accepts::anything) {
      return Json::object();
    }
    Json values = Json::array();
    for (const Accepts type : kTypes) {
      if (allows(field.accepts, type)) {
        values.push_back(value_schema(field, type));
      }
    }
    if (field.nullable) {
      values.push_back({{"type", "null"}});
    }
    if (expressions_) {
      values.push_back(reference(kExpression));
    }
    return {{"anyOf", std::move(values)}};
  }

  Json object_of(std::string_view title, std::array<std::span<const FieldSpec>, 2> parts, bool open) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const std::span<const FieldSpec> fields : parts) {
      add_fields(properties, required, fields, [this](const FieldSpec& field) { return accepted(field); });
    }
    return {{"title", title},
            {"description", ""},
            {"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", open}};
  }

  const Table& table_;
  bool expressions_;
  Json out_ = Json::object();
};

Json schema_definitions(const Table& table, bool expressions) { return SchemaBuilder(table, expressions).build(); }

}  // namespace sparsecfg::dialect::stages
