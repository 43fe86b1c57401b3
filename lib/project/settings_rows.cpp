#include "project/settings_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dialect/custom.h"
#include "dialect/dialect.h"
#include "ir/clock.h"
#include "project/settings.h"

namespace sparsecfg::project {

constexpr SettingRow kSettingRows[] = {
    {"extends", Form::extends, "ci/base.yaml", "Config file with the defaults of this one, relative to this file"},
    {"select", Form::codes, "[SP, LC]", "Report only these rules (code, code prefix or name)"},
    {"ignore", Form::codes, "[SP506]", "Do not report these rules (code, code prefix or name)"},
    {"severity", Form::severities, "{SP202: error}", "Change the severity of rules to error, warning or info"},
    {"fail-on", Form::fail_on, "warning", "Minimum severity for exit code 1, or never"},
    {"baseline", Form::path, "sparsecfg-baseline.json",
     "File with known findings, which are not reported; `validate --write-baseline` writes it"},
    {"from", Form::dialect, "sparseml", "Dialect of the recipes (default: detected from the content)"},
    {"model", Form::path, "models/llama",
     "Model: a folder, its config.json, tensors, a list, or a name such as torchvision:resnet50"},
    {"params", Form::path, "names/params.txt", "File with the model parameters, relative to this file"},
    {"modules", Form::path, "names/modules.txt", "File with the model modules, relative to this file"},
    {"qat-policy", Form::path, "policies/qat_policy.yaml",
     "QAT policy of ai8x-training that runs with the schedules, relative to this file"},
    {"steps-per-epoch", Form::whole_number, "500", "Optimizer steps per epoch"},
    {"epochs", Form::number, "10", "Length of the training run in epochs (default: from the recipe)"},
    {"parameter-groups", Form::whole_number, "2", "Number of parameter groups of the optimizer"},
    {"initial-lr", Form::number, "0.1", "Initial learning rate set by the training script"},
    {"custom", Form::custom, "{MyPruningModifier: {like: GMPruningModifier, fields: {pairs: int}}}",
     "Classes that the project defines"},
    {"exclude", Form::patterns, "[old/, '*.draft.yaml']", "Files and folders to skip, as .gitignore patterns"},
    {"per-file", Form::per_file, "{'bert/*.yaml': {epochs: 3}}", "Settings for files that match a .gitignore pattern"},
};

std::span<const SettingRow> setting_rows() { return kSettingRows; }

const SettingRow* find_setting(std::string_view name) {
  const auto* found = std::ranges::find(kSettingRows, name, &SettingRow::name);
  return found == std::end(kSettingRows) ? nullptr : found;
}

bool is_allowed(const SettingRow& row, bool per_file) {
  return !per_file || (row.form != Form::patterns && row.form != Form::per_file && row.form != Form::extends);
}

bool is_list_of_rules(std::string_view name) {
  const SettingRow* row = find_setting(name);
  return row != nullptr && (row->form == Form::codes || row->form == Form::severities);
}

static std::string entry(std::string_view name, std::string_view doc, std::string_view example) {
  return fmt::format("\n# {}\n# {}: {}\n", doc, name, example);
}

std::string settings_template() {
  std::string out =
      "# Settings of sparsecfg for this folder and the folders below. Every setting is optional:\n"
      "# remove the `#` before those that you need. Options on the command line override them.\n";
  for (const SettingRow& row : setting_rows()) out += entry(row.name, row.doc, row.example);
  for (const dialect::ReaderOption& option : dialect::reader_options()) {
    if (option.max > 0) {
      out += entry(option.name, option.doc, "2");
    } else if (option.values.empty()) {
      out += entry(option.name, option.doc, "NAME");
    } else {
      const std::string values = fmt::format("{} ({})", option.doc, fmt::join(option.values, ", "));
      out += entry(option.name, values, fmt::format("\"{}\"", option.values.front()));
    }
  }
  return out;
}

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
    properties[option.name] = option.max > 0 ? Json{{"type", "integer"}, {"minimum", 1}, {"maximum", option.max}}
                              : option.values.empty() ? Json{{"type", "string"}}
                                                      : one_of(option.values);
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
