#include "dialect/distiller/read.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "dialect/distiller/table.h"
#include "dialect/record/schema.h"

namespace sparsecfg::dialect::distiller {

using Json = nlohmann::ordered_json;

// Returns the schema of a field's values. Fields that are only read at run time accept anything if the component never
// runs.
static Json values_of(const FieldSpec& field) {
  if (field.phase != Moment::load) {
    return Json::object();
  }
  switch (field.type) {
    case Type::number: return number_within(field.bounds, false);  // booleans are numbers in Python
    case Type::exact_float: return number_within(field.bounds, true);
    case Type::choice: return {{"enum", field.choices}};
    case Type::list: return {{"type", "array"}};
    case Type::any_mapping: return {{"type", "object"}};
    case Type::text: return {{"type", "string"}};
    case Type::selectors: return {{"type", {"array", "object", "string"}}};
    default: return Json::object();
  }
}

static Json accepted(const FieldSpec& field) {
  Json values = values_of(field);
  return !values.empty() && field.nullable ? merged({values, {{"type", "null"}}}) : values;
}

static Json describe(const ClassSpec& spec) {
  Json properties{{"class", {{"const", spec.name}}}};
  Json required{"class"};
  add_fields(properties, required, spec.fields, accepted);
  for (const std::string_view supplied : {"name", "model", "optimizer", "last_epoch"}) {
    properties[std::string(supplied)] = {{"deprecationMessage", "ignored: Distiller's loader overwrites it"}};
  }
  Json out = {{"title", spec.name}, {"description", spec.doc}, {"type", "object"}, {"properties", properties}};
  close_mapping(out, required_fields(std::move(required)));
  return out;
}

static Json definitions() {
  Json out;
  for (const SectionSpec& section : sections(Fork::ai8x)) {
    std::vector<std::string_view> names;
    for (const auto classes : {pruner_classes(), other_classes(), scheduler_classes()}) {
      for (const ClassSpec& spec : classes) {
        if (spec.section == class_section(section.section) && spec.kind != ClassKind::unusable) {
          out[std::string(spec.name)] = describe(spec);
          names.push_back(spec.name);
        }
      }
    }
    out[std::string(section.kind)] = by_class("class", names);
  }
  return out;
}

static Json arguments() {
  Json properties = Json::object();
  Json required = Json::array();
  add_fields(properties, required, pruning_arguments(), accepted);
  return {{"type", {"object", "null"}}, {"properties", properties}};
}

static Json policy() {
  Json properties = Json::object();
  Json kinds = Json::array();
  for (const SectionSpec& section : sections(Fork::ai8x)) {
    Json inner{{"type", "object"},
               {"properties", {{"instance_name", {{"description", "Name of an instance in its section."}}}}},
               {"required", {"instance_name"}}};
    if (section.section == Section::pruners) inner["properties"]["args"] = arguments();
    properties[std::string(section.kind)] = inner;
    kinds.push_back({{"required", {section.kind}}});
  }
  properties["starting_epoch"] = {
      {"type", {"integer", "boolean"}}, {"minimum", 0}, {"description", "First epoch in which the policy acts."}};
  properties["ending_epoch"] = {{"type", {"integer", "boolean"}},
                                {"description", "Epoch at which the policy ends (exclusive)."}};
  properties["frequency"] = {
      {"type", {"integer", "boolean"}}, {"minimum", 1}, {"description", "Number of epochs between active epochs."}};
  properties["epochs"] = {{"type", "array"},
                          {"minItems", 1},
                          {"items", {{"type", {"number", "boolean"}}}},
                          {"description", "List of epochs in which the policy acts. Replaces the range."}};
  return {{"type", "object"},
          {"properties", properties},
          {"allOf",
           {{{"anyOf", kinds}},
            {{"if", {{"required", {"starting_epoch"}}, {"not", {{"required", {"epochs"}}}}}},
             {"then", {{"required", {"ending_epoch", "frequency"}}}},
             {"else", {{"required", {"epochs"}}}}}}}};
}

std::string schema() {
  Json properties{{"version", {{"description", "Format version. Distiller ignores it."}}}};
  for (const SectionSpec& section : sections(Fork::ai8x)) {
    properties[std::string(section.name)] = {{"type", "object"}, {"additionalProperties", reference(section.kind)}};
  }
  properties["policies"] = {{"type", "array"}, {"items", reference("policy")}};
  Json all = definitions();
  all["policy"] = policy();
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "Distiller schedule"},
              {"description",
               "Components by section, and policies that set the epochs in which they act. Files with a post-training "
               "quantizer don't require policies."},
              {"type", "object"},
              {"properties", properties},
              {"definitions", all}};
  share_fields(out);
  return out.dump(2) + '\n';
}

}  // namespace sparsecfg::dialect::distiller
