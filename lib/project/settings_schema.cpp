#include <nlohmann/json.hpp>

#include "dialect/custom.h"
#include "dialect/dialect.h"
#include "ir/clock.h"
#include "project/settings.h"
#include "project/settings_rows.h"

namespace sparsecfg::project {

using Json = nlohmann::ordered_json;

static Json one_of(const auto& values) {
  Json out = Json::array();
  for (const auto& value : values) out.push_back(value);
  return {{"enum", std::move(out)}};
}

static Json list_or_one(const char* pattern) {
  Json text{{"type", "string"}};
  if (pattern != nullptr) text["pattern"] = pattern;
  const Json list{{"type", "array"}, {"items", text}};
  return {{"anyOf", Json::array({text, list})}};
}

static Json dialect_names() {
  std::vector<std::string_view> names;
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    if (dialect->read != nullptr) names.push_back(dialect->name);
  }
  return one_of(names);
}

static Json custom_schema() {
  const Json types{{"type", "object"}, {"additionalProperties", one_of(dialect::custom_type_words())}};
  const Json fields{{"anyOf", Json::array({one_of(std::vector{"any"}), types})}};
  const Json properties{{"like", {{"type", "string"}}}, {"fields", fields}};
  const Json one{
      {"type", Json::array({"object", "null"})}, {"properties", properties}, {"additionalProperties", false}};
  return {{"type", "object"}, {"additionalProperties", one}};
}

static Json properties_of_settings(bool per_file);

static Json form_schema(Form form) {
  constexpr const char* kCode = "^[A-Za-z]{2}[0-9]{0,3}$|^[a-z0-9]+(-[a-z0-9]+)+$";
  switch (form) {
    case Form::codes: return list_or_one(kCode);
    case Form::severities: {
      const Json levels = one_of(std::vector{"error", "warning", "info"});
      return {{"type", "object"}, {"additionalProperties", levels}};
    }
    case Form::fail_on: return one_of(std::vector{"error", "warning", "info", "never"});
    case Form::dialect: return dialect_names();
    case Form::whole_number: return {{"type", "integer"}, {"minimum", 1}, {"maximum", ir::kMaxStepsPerEpoch}};
    case Form::number: return {{"type", "number"}, {"minimum", 0}};
    case Form::path: return {{"type", "string"}, {"minLength", 1}};
    case Form::profile: {
      std::vector<std::string_view> names;
      for (const dialect::Profile& profile : dialect::profiles()) names.push_back(profile.name);
      return one_of(names);
    }
    case Form::custom: return custom_schema();
    case Form::patterns: return list_or_one(nullptr);
    case Form::extends: return list_or_one(nullptr);
    case Form::per_file: return {{"type", "object"}, {"additionalProperties", properties_of_settings(true)}};
  }
  return {};
}

static Json properties_of_settings(bool per_file) {
  Json properties;
  for (const SettingRow& row : setting_rows()) {
    if (!is_allowed(row, per_file)) continue;
    properties[row.name] = form_schema(row.form);
    properties[row.name]["description"] = row.doc;
  }
  for (const dialect::ReaderOption& option : dialect::reader_options()) {
    properties[option.name] = option.values.empty() ? Json{{"type", "string"}} : one_of(option.values);
    properties[option.name]["description"] = option.doc;
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

std::string settings_schema() {
  Json out{{"$schema", "http://json-schema.org/draft-07/schema#"},
           {"title", "Settings of sparsecfg (.sparsecfg.yaml)"}};
  out.update(properties_of_settings(false));
  return out.dump(1, ' ', true) + '\n';
}

}  // namespace sparsecfg::project
