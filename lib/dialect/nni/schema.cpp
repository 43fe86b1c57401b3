#include "dialect/nni/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dialect/nni/table.h"
#include "dialect/record/schema.h"

namespace sparsecfg::dialect::nni {

using Json = nlohmann::ordered_json;

static Json accepted(const FieldSpec& key, Mode mode) {
  static const SchemaRules kRules{.record = [](const ClassSpec& spec) { return reference(spec.name); }};
  if (key.name == "target_settings") {
    return {{"type", "object"},
            {"minProperties", 1},
            {"additionalProperties", reference(fmt::format("{}.target", to_string(mode)))}};
  }
  return kRules.accepted(key);
}

// NNI checks legacy keys after translating them, so the schema accepts any value.
static void add_legacy_keys(Json& properties) {
  for (const FieldSpec& key : legacy_keys()) {
    Json& property = properties[std::string(key.name)];
    property = {{"description", key.doc}, {"deprecationMessage", "a key of NNI 2.x"}};
    if (const Json examples = examples_of(key); !examples.empty()) property["items"] = {{"examples", examples}};
  }
}

// Returns the schema of the keys of an entry or a target.
static Json keys_of(const ClassSpec& spec, Mode mode, const Json& more) {
  return schema_of(
      spec, [mode](const FieldSpec& key) { return accepted(key, mode); }, more);
}

static Json target(Mode mode) { return keys_of(target_spec(mode), mode, Json::object()); }

static Json names_of(const Json& schema) {
  Json names = Json::array();
  for (const auto& [name, field] : schema["properties"].items()) names.push_back(name);
  return names;
}

static Json entry(Mode mode) {
  Json legacy = Json::object();
  add_legacy_keys(legacy);
  Json selectors = Json::array();
  for (const char* key : {"op_types", "op_names", "op_names_re", "op_partial_names"}) {
    selectors.push_back({{"required", {key}}});
  }
  Json out = keys_of(entry_spec(mode), mode, legacy);
  out["title"] = fmt::format("An entry for {}", to_string(mode));
  out["if"] = out.value("if", Json{{"propertyNames", {{"enum", names_of(out)}}}});
  out["then"]["anyOf"] = std::move(selectors);
  return out;
}

// Returns a condition that is true for entries with a key that is specific to the mode.
static Json has_key_of(Mode mode) {
  Json keys = Json::array();
  for (const FieldSpec& key : setting_keys(mode)) {
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

static Json argument(const FieldSpec& field) {
  if (field.name == "pruner") {
    return {{"description", field.doc}, {"allOf", {reference("compressor")}}};
  }
  return describe_field(field, accepted(field, Mode::pruning));
}

// Returns the schema of one class. Its arguments are beside `class` or under `args`.
static Json compressor(const ClassSpec& spec) {
  Json properties = {{"class", {{"const", spec.name}}},
                     {"type", {{"const", spec.name}}},
                     {"args", {{"type", "object"}}},
                     {"config_list", reference("config_list")}};
  for (const FieldSpec& field : spec.fields) {
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
  const FieldSpec* align = find_key(setting_keys(Mode::pruning), "align");
  out["align"] = keys_of(*align->record, Mode::pruning, Json::object());
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
