#include "dialect/nni/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dialect/nni/table.h"
#include "dialect/record/schema.h"

namespace sparsecfg::dialect::nni {

using Json = nlohmann::ordered_json;

// JSON Schema can't distinguish 1.0 from 1, so floats have the type number.
static Json values_of(const KeySpec& key, Mode mode) {
  const Json texts{{"type", "array"}, {"items", {{"type", "string"}}}};
  switch (key.form) {
    case Form::texts: return texts;
    case Form::settings:
      return {{"type", "object"},
              {"minProperties", 1},
              {"additionalProperties", reference(fmt::format("{}.target", to_string(mode)))}};
    case Form::ratio:
    case Form::factor: return {{"type", "number"}};
    case Form::largest_ratio: return {{"type", {"number", "boolean"}}, {"exclusiveMinimum", 0}, {"maximum", 1}};
    case Form::least_ratio: return {{"type", {"number", "boolean"}}, {"minimum", 0}, {"exclusiveMaximum", 1}};
    case Form::group: return {{"type", {"integer", "string"}}};
    case Form::whole: return {{"type", "integer"}};
    case Form::granularity: return merged({{{"enum", key.choices}}, {{"type", "array"}}});
    case Form::word: return {{"enum", key.choices}};
    case Form::alignment: return reference("align");
    case Form::bit_type: return {{"type", {"string", "null"}}};
    case Form::fusion: return {{"type", "array"}, {"items", texts}};
    case Form::link: return merged({{{"type", "string"}}, texts});
  }
  return Json::object();
}

static Json describe(const KeySpec& key, Mode mode) {
  Json out{{"description", key.doc}};
  if (!key.default_value.empty()) {
    out["default"] = default_of(key.default_value);
  }
  out.update(values_of(key, mode));
  return out;
}

static void add_keys(Json& properties, std::span<const KeySpec> keys, Mode mode) {
  for (const KeySpec& key : keys) {
    properties[std::string(key.name)] = describe(key, mode);
  }
}

// NNI checks legacy keys after translating them, so the schema accepts any value.
static void add_legacy_keys(Json& properties) {
  for (const KeySpec& key : legacy_keys()) {
    properties[std::string(key.name)] = {{"description", key.doc}, {"deprecationMessage", "a key of NNI 2.x"}};
  }
}

static Json required_of(Mode mode) {
  Json required = Json::array();
  for (const KeySpec& key : setting_keys(mode)) {
    if (key.required) required.push_back(key.name);
  }
  return required;
}

static Json target(Mode mode) {
  Json properties = Json::object();
  for (const KeySpec& key : setting_keys(mode)) {
    if (key.form != Form::fusion) properties[std::string(key.name)] = describe(key, mode);
  }
  Json out = {{"type", "object"}, {"properties", std::move(properties)}};
  close_mapping(out, required_fields(required_of(mode)));
  return out;
}

static Json entry(Mode mode) {
  Json properties = Json::object();
  add_keys(properties, selection_keys(), mode);
  add_keys(properties, setting_keys(mode), mode);
  add_legacy_keys(properties);
  Json selectors = Json::array();
  for (const char* key : {"op_types", "op_names", "op_names_re", "op_partial_names"}) {
    selectors.push_back({{"required", {key}}});
  }
  Json out = {{"title", fmt::format("An entry for {}", to_string(mode))},
              {"type", "object"},
              {"properties", std::move(properties)}};
  Json then = {{"anyOf", std::move(selectors)}};
  then.update(required_fields(required_of(mode)));
  close_mapping(out, std::move(then));
  return out;
}

// Returns a condition that is true for entries with a key that is specific to the mode.
static Json has_key_of(Mode mode) {
  Json keys = Json::array();
  for (const KeySpec& key : setting_keys(mode)) {
    const bool is_shared = std::ranges::any_of(
        kModes, [&](Mode other) { return other != mode && find_key(setting_keys(other), key.name) != nullptr; });
    if (!is_shared) keys.push_back({{"required", {key.name}}});
  }
  return {{"anyOf", std::move(keys)}};
}

static Json any_entry() {
  const Json distillation = {{"if", has_key_of(Mode::distillation)},
                             {"then", reference(to_string(Mode::distillation))},
                             {"else", reference(to_string(Mode::pruning))}};
  return {{"if", has_key_of(Mode::quantization)},
          {"then", reference(to_string(Mode::quantization))},
          {"else", distillation}};
}

static Json alignment() {
  return {{"type", "object"},
          {"properties",
           {{"module_name",
             {{"type", {"string", "null"}}, {"description", "Module whose mask is used. null means the same module."}}},
            {"target_name", {{"type", "string"}, {"description", "Target of that module."}}},
            {"dims", {{"type", "array"}, {"description", "Dimensions of the mask to keep."}}}}},
          {"required", {"module_name", "target_name", "dims"}},
          {"additionalProperties", false}};
}

static Json argument(const FieldSpec& field) {
  if (field.name == "pruner") {
    return {{"description", field.doc}, {"allOf", {reference("compressor")}}};
  }
  Json out{{"description", field.doc}};
  if (field.type == Type::number) {
    out["type"] = field.nullable ? Json{"number", "boolean", "null"} : Json{"number", "boolean"};
  }
  return out;
}

// Returns the schema of one class. Its arguments are beside `class` or under `args`.
static Json compressor(const ClassSpec& spec) {
  Json properties = {{"class", {{"const", spec.name}}},
                     {"type", {{"const", spec.name}}},
                     {"args", {{"type", "object"}}},
                     {"config_list", reference("config_list")}};
  for (const FieldSpec& field : spec.arguments) {
    properties[std::string(field.name)] = argument(field);
  }
  return {{"title", spec.name},
          {"description", spec.doc},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

static Json definitions() {
  Json out = Json::object();
  for (const Mode mode : kModes) {
    out[std::string(to_string(mode))] = entry(mode);
    out[fmt::format("{}.target", to_string(mode))] = target(mode);
  }
  out["align"] = alignment();
  out["config_list"] = {{"type", "array"}, {"items", any_entry()}};
  std::vector<std::string_view> names;
  for (const ClassSpec& spec : classes()) {
    out[std::string(spec.name)] = compressor(spec);
    names.push_back(spec.name);
  }
  out["compressor"] = {{"if", {{"required", {"type"}}, {"not", {{"required", {"class"}}}}}},
                       {"then", by_class("type", names)},
                       {"else", by_class("class", names)}};
  return out;
}

static Json mapping() {
  return {{"type", "object"},
          {"properties",
           {{"config_list", reference("config_list")},
            {"mode",
             {{"enum", {"pruning", "quantization", "distillation"}},
              {"description", "Purpose of the list, if its keys do not determine it."}}},
            {"pruner", reference("compressor")},
            {"quantizer", reference("compressor")},
            {"distiller", reference("compressor")},
            {"compressors",
             {{"type", "array"},
              {"items", reference("compressor")},
              {"description", "Several compressors for one model."}}},
            {"compress",
             {{"type", {"object", "null"}},
              {"properties",
               {{"max_steps",
                 {{"type", {"number", "boolean", "null"}}, {"description", "Length of the run in optimizer steps."}}},
                {"max_epochs",
                 {{"type", {"number", "boolean", "null"}}, {"description", "Length of the run in epochs."}}}}},
              {"additionalProperties", false}}},
            {"evaluator",
             {{"type", "object"}, {"properties", {{"steps_per_epoch", {{"type", "integer"}, {"minimum", 1}}}}}}},
            {"register",
             {{"type", "object"},
              {"description", "Default settings of module types that NNI does not register."},
              {"additionalProperties", {{"type", "object"}}}}}}}};
}

std::string schema(const ReadOptions&) {
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "NNI configuration"},
              {"description", "Generated by `sparsecfg schema nni`."},
              {"if", {{"type", "array"}}},
              {"then", reference("config_list")},
              {"else", mapping()},
              {"definitions", definitions()}};
  share_fields(out);
  return out.dump(2) + "\n";
}

}  // namespace sparsecfg::dialect::nni
