#include "project/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/dialect.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "ir/clock.h"
#include "project/custom_settings.h"

namespace sparsecfg::project {

using source::Value;

namespace {

// Type of the value of a setting.
enum class Form {
  codes,
  severities,
  fail_on,
  dialect,
  whole_number,
  number,
  path,
  profile,
  custom,
  patterns,
  per_file
};

struct SettingRow {
  std::string_view name;
  Form form;
  std::string_view doc;
};

constexpr SettingRow kSettingRows[] = {
    {"select", Form::codes, "Report only these rules (code, code prefix or name)"},
    {"ignore", Form::codes, "Do not report these rules (code, code prefix or name)"},
    {"severity", Form::severities, "Change the severity of rules to error, warning or info"},
    {"fail-on", Form::fail_on, "Minimum severity for exit code 1, or never"},
    {"from", Form::dialect, "Dialect of the recipes (default: detected from the content)"},
    {"params", Form::path, "File with the model parameters, relative to this file"},
    {"modules", Form::path, "File with the model modules, relative to this file"},
    {"steps-per-epoch", Form::whole_number, "Optimizer steps per epoch"},
    {"epochs", Form::number, "Length of the training run in epochs (default: from the recipe)"},
    {"initial-lr", Form::number, "Initial learning rate set by the training script"},
    {"profile", Form::profile, "Known fork of the framework, with classes of its own"},
    {"custom", Form::custom, "Classes that the project defines: `{NAME: {like: CLASS, fields: {NAME: TYPE}}}`"},
    {"exclude", Form::patterns, "Files and folders to skip, as .gitignore patterns"},
    {"per-file", Form::per_file, "Settings for files that match a .gitignore pattern"},
};

const SettingRow* find_setting(std::string_view name) {
  const auto* found = std::ranges::find(kSettingRows, name, &SettingRow::name);
  return found == std::end(kSettingRows) ? nullptr : found;
}

bool is_allowed(const SettingRow& row, bool per_file) {
  return !per_file || (row.form != Form::patterns && row.form != Form::per_file);
}

class SettingsReader {
 public:
  SettingsReader(const std::string& path, std::string text) : file_(path, std::move(text)) { out_.path = path; }

  ReadSettings read() {
    diag::Sink sink;
    const auto document = doc::read_yaml(file_, {0, static_cast<std::uint32_t>(file_.text().size())}, {}, sink);
    if (document) doc::report_unknown_tags(*document, "settings", sink);
    const Value all = document ? doc::construct(*document, document->root, sink) : Value{};
    if (sink.has_errors()) {
      const diag::Diagnostic first = sink.take().front();
      return SettingsError{out_.path, fmt::format("line {}: {}", line_of(first.span), first.message)};
    }
    read_mapping(all, out_.settings, false);
    if (!reason_.empty()) {
      return SettingsError{out_.path, reason_};
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint32_t line_of(source::Span span) const { return file_.position(span.begin).line; }

  void reject(const Value& value, const std::string& why) {
    if (reason_.empty()) reason_ = fmt::format("line {}: {}", line_of(value.span), why);
  }

  void read_mapping(const Value& value, Settings& settings, bool per_file) {
    if (const auto* map = value.get<source::Map>()) {
      for (const auto& [key, item] : *map) read_setting(key, item, settings, per_file);
    } else if (!value.is_null()) {
      reject(value, "settings must be a mapping, such as `fail-on: warning`");
    }
  }

  void read_setting(const Value& key, const Value& value, Settings& settings, bool per_file) {
    const std::string name = source::python_str(key);
    if (const SettingRow* row = find_setting(name); row != nullptr && is_allowed(*row, per_file)) {
      read_form(*row, value, settings);
    } else if (!read_reader_option(name, value, settings)) {
      reject_unknown(key, name, per_file);
    }
  }

  void reject_unknown(const Value& key, const std::string& name, bool per_file) {
    std::vector<std::string_view> known;
    for (const SettingRow& row : kSettingRows) {
      if (is_allowed(row, per_file)) known.push_back(row.name);
    }
    for (const dialect::ReaderOption& option : dialect::reader_options()) known.push_back(option.name);
    const auto guess = base::nearest(name, known);
    reject(key, fmt::format("unknown setting `{}`; {}", base::printable(name),
                            base::did_you_mean(guess, fmt::format("choose one of {}", fmt::join(known, ", ")))));
  }

  void read_form(const SettingRow& row, const Value& value, Settings& settings) {
    switch (row.form) {
      case Form::codes:
        return read_codes(value, row.name == "select" ? settings.levels.select : settings.levels.ignore);
      case Form::severities: return read_severities(value, settings);
      case Form::fail_on: return read_level(value, settings);
      case Form::dialect: return read_dialect(value, settings);
      case Form::whole_number: return read_steps(value, settings);
      case Form::number: return read_number(row, value, row.name == "epochs" ? settings.epochs : settings.initial_rate);
      case Form::path: return read_path(row, value, row.name == "params" ? settings.parameters : settings.modules);
      case Form::profile: return read_profile(value, settings);
      case Form::custom: return read_classes(value, settings);
      case Form::patterns: return read_patterns(value, out_.exclude);
      case Form::per_file: return read_per_file(value);
    }
  }

  std::string code_of(const Value& value) {
    const auto* text = value.get<std::string>();
    if (text == nullptr || !diag::names_any(*text)) {
      reject(value, fmt::format("unknown rule `{}`", base::printable(source::python_str(value))));
    }
    return text == nullptr ? "" : *text;
  }

  void read_codes(const Value& value, std::vector<std::string>& codes) {
    const auto* list = value.get<source::List>();
    if (list == nullptr) {
      codes.push_back(code_of(value));
      return;
    }
    for (const Value& item : *list) {
      codes.push_back(code_of(item));
    }
  }

  void read_severities(const Value& value, Settings& settings) {
    const auto* map = value.get<source::Map>();
    if (map == nullptr) {
      reject(value, "`severity` must be a mapping of codes to severities, such as `{SP202: error}`");
      return;
    }
    for (const auto& [code, level] : *map) {
      const std::string named = code_of(code);
      if (const auto severity = diag::read_severity(source::python_str(level))) {
        settings.levels.severities.emplace_back(named, *severity);
      } else {
        reject(level, "severities must be `error`, `warning` or `info`");
      }
    }
  }

  void read_level(const Value& value, Settings& settings) {
    settings.fail_on = read_fail_on(source::python_str(value));
    if (!settings.fail_on) reject(value, "`fail-on` must be `error`, `warning`, `info` or `never`");
  }

  void read_dialect(const Value& value, Settings& settings) {
    const std::string name = source::python_str(value);
    const dialect::Dialect* dialect = dialect::find_dialect(name);
    if (dialect == nullptr || dialect->read == nullptr) {
      reject(value, fmt::format("unknown dialect `{}`", base::printable(name)));
    }
    settings.from = name;
  }

  void read_profile(const Value& value, Settings& settings) {
    settings.profile = source::python_str(value);
    if (dialect::find_profile(settings.profile) == nullptr) {
      std::vector<std::string_view> names;
      for (const dialect::Profile& profile : dialect::profiles()) names.push_back(profile.name);
      reject(value, fmt::format("`profile` must be one of {}", fmt::join(names, ", ")));
    }
  }

  void read_classes(const Value& value, Settings& settings) {
    auto read = read_custom(value);
    if (const auto* rejection = std::get_if<Rejection>(&read)) {
      reject({{}, rejection->span}, rejection->reason);
    } else {
      settings.classes = std::get<std::vector<dialect::CustomClass>>(std::move(read));
    }
  }

  // Returns false if no dialect has a reader option of this name.
  bool read_reader_option(std::string_view name, const Value& value, Settings& settings) {
    const auto options = dialect::reader_options();
    const auto option = std::ranges::find(options, name, &dialect::ReaderOption::name);
    if (option == options.end()) {
      return false;
    }
    const std::string text = source::python_str(value);
    if (!option->accepts(text)) {
      reject(value, fmt::format("`{}` must be one of {}", option->name, fmt::join(option->values, ", ")));
    }
    settings.reader_options.emplace_back(option->name, text);
    return true;
  }

  void read_steps(const Value& value, Settings& settings) {
    const auto* number = value.get<std::int64_t>();
    const auto max = static_cast<std::int64_t>(ir::kMaxStepsPerEpoch);
    if (number == nullptr || *number < 1 || *number > max) {
      reject(value, fmt::format("`steps-per-epoch` must be a whole number from 1 to {}", max));
      return;
    }
    settings.steps_per_epoch = static_cast<std::size_t>(*number);
  }

  void read_number(const SettingRow& row, const Value& value, std::optional<double>& out) {
    out = value.get<bool>() == nullptr ? value.number() : std::nullopt;
    if (!out || !(*out >= 0 && *out <= ir::kMaxEpochs)) {
      reject(value, fmt::format("`{}` must be a number from 0 to {}", row.name, ir::kMaxEpochs));
    }
  }

  void read_path(const SettingRow& row, const Value& value, std::string& out) {
    const auto* text = value.get<std::string>();
    if (text == nullptr || text->empty()) {
      reject(value, fmt::format("`{}` must be a file path", row.name));
      return;
    }
    out = (std::filesystem::path(out_.path).parent_path() / *text).lexically_normal().native();
  }

  void read_patterns(const Value& value, source::IgnoreRules& rules) {
    const source::List one = {value};
    const auto* list = value.get<source::List>();
    for (const Value& item : list == nullptr ? one : *list) {
      const auto* pattern = item.get<std::string>();
      if (pattern == nullptr || pattern->empty()) {
        reject(item, "`exclude` must be a list of patterns, such as `[old/, '*.draft.yaml']`");
        return;
      }
      rules.add(*pattern);
    }
  }

  void read_per_file(const Value& value) {
    const auto* map = value.get<source::Map>();
    if (map == nullptr) {
      reject(value, "`per-file` must be a mapping of patterns to settings, such as `{'bert/*.yaml': {epochs: 3}}`");
      return;
    }
    for (const auto& [pattern, settings] : *map) {
      auto& [rules, out] = out_.per_file.emplace_back();
      rules.add(source::python_str(pattern));
      read_mapping(settings, out, true);
    }
  }

  source::SourceFile file_;
  ProjectSettings out_;
  std::string reason_;
};

}  // namespace

std::optional<FailOn> read_fail_on(std::string_view text) {
  if (text == "error") return FailOn::error;
  if (text == "warning") return FailOn::warning;
  if (text == "info") return FailOn::info;
  return text == "never" ? std::optional(FailOn::never) : std::nullopt;
}

void Settings::add(const Settings& other) {
  if (!other.levels.select.empty()) levels.select = other.levels.select;
  levels.ignore.insert(levels.ignore.end(), other.levels.ignore.begin(), other.levels.ignore.end());
  levels.severities.insert(levels.severities.end(), other.levels.severities.begin(), other.levels.severities.end());
  reader_options.insert(reader_options.end(), other.reader_options.begin(), other.reader_options.end());
  const auto merge = [](auto& mine, const auto& theirs) {
    if (theirs != std::remove_cvref_t<decltype(theirs)>()) mine = theirs;
  };
  merge(fail_on, other.fail_on);
  merge(from, other.from);
  merge(profile, other.profile);
  classes.insert(classes.end(), other.classes.begin(), other.classes.end());
  merge(parameters, other.parameters);
  merge(modules, other.modules);
  merge(steps_per_epoch, other.steps_per_epoch);
  merge(epochs, other.epochs);
  merge(initial_rate, other.initial_rate);
}

ReadSettings read_settings(const std::string& path, std::string text) {
  return SettingsReader(path, std::move(text)).read();
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
  const Json properties{{"like", {{"type", "string"}}},
                        {"fields", {{"anyOf", Json::array({one_of(std::vector{"any"}), types})}}}};
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
    case Form::per_file: return {{"type", "object"}, {"additionalProperties", properties_of_settings(true)}};
  }
  return {};
}

static Json properties_of_settings(bool per_file) {
  Json properties;
  for (const SettingRow& row : kSettingRows) {
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
