#include "project/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "architecture/user_model.h"
#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/excerpt.h"
#include "diag/painter.h"
#include "dialect/dialect.h"
#include "dialect/listed_value.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "ir/clock.h"
#include "project/custom.h"
#include "project/extends.h"
#include "project/settings_rows.h"

namespace sparsecfg::project {

using source::Value;

namespace {

// Returns "; did you mean `unknown-field`?", or an empty string.
std::string similar_rule(const std::string& text) {
  std::vector<std::string_view> known;
  for (const diag::Info* info : diag::catalog()) known.push_back(info->name);  // similar codes mean other things
  const auto guess = base::nearest(text, known);
  return guess ? fmt::format("; did you mean `{}`?", *guess) : "";
}

// Each error with the lines of the file, as for findings in recipes.
std::string excerpt_of(const source::SourceFile& file, const std::vector<SettingsFinding>& errors) {
  const diag::Painter plain(false);
  std::string out;
  for (const SettingsFinding& error : errors) {
    diag::Diagnostic diagnostic;
    diagnostic.info = nullptr;
    diagnostic.severity = diag::Severity::error;
    diagnostic.span = error.span;
    const diag::Snippet snippet = diag::render_snippet(file, diagnostic, plain, 80);
    const auto [line, column] = file.position(error.span.begin);
    out += fmt::format("error: {}\n{}--> {}:{}:{}\n{}\n", base::printable(error.message),
                       std::string(snippet.gutter, ' '), base::printable(file.name()), line, column, snippet.text);
  }
  return out;
}

SettingsError make_error(const source::SourceFile& file, std::vector<SettingsFinding> errors) {
  std::ranges::stable_sort(errors, {}, &SettingsFinding::span);
  std::string reason;
  for (const SettingsFinding& error : errors) {
    reason +=
        fmt::format("{}line {}: {}", reason.empty() ? "" : "\n", file.position(error.span.begin).line, error.message);
  }
  std::string excerpt = excerpt_of(file, errors);
  return {file.name(), std::move(reason), std::move(errors), std::move(excerpt)};
}

class SettingsReader {
 public:
  SettingsReader(const std::string& path, std::string text, const Extending& extending)
      : file_(path, std::move(text)), extending_(extending) {
    out_.path = path;
  }

  ReadSettings read() {
    diag::Sink sink;
    const auto document = doc::read_yaml(file_, {0, static_cast<std::uint32_t>(file_.text().size())}, {}, sink);
    if (document) doc::report_unknown_tags(*document, "settings", sink);
    const Value all = document ? doc::construct(*document, document->root, sink) : Value{};
    for (const diag::Diagnostic& each : sink.take()) {
      if (each.severity == diag::Severity::error) errors_.push_back({each.span, each.message});
    }
    if (errors_.empty()) read_mapping(all, out_.settings, false);
    if (!errors_.empty()) return make_error(file_, std::move(errors_));
    return extended();
  }

 private:
  void reject(const Value& value, const std::string& why) { errors_.push_back({value.span, why}); }

  // Merges the settings of this file into those of the files that it extends.
  ReadSettings extended() {
    ProjectSettings all;
    for (const Value& base : bases_) {
      ReadSettings read = extending_.read(out_.path, *base.get<std::string>());
      if (auto* error = std::get_if<SettingsError>(&read)) {
        if (!error->path.empty()) return std::move(*error);
        return make_error(file_, {{base.span, error->reason}});
      }
      all.add(std::get<ProjectSettings>(std::move(read)));
    }
    all.path = out_.path;
    all.own_patterns = out_.own_patterns;
    all.add(std::move(out_));
    return all;
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
    for (const SettingRow& row : setting_rows()) {
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
      case Form::whole_number:
        return read_whole_number(row, value,
                                 row.name == "steps-per-epoch" ? settings.steps_per_epoch : settings.parameter_groups);
      case Form::number: return read_number(row, value, row.name == "epochs" ? settings.epochs : settings.initial_rate);
      case Form::path: return read_path(row, value, path_of(row.name, settings));
      case Form::custom: return read_classes(value, settings);
      case Form::patterns: return read_patterns(value);
      case Form::per_file: return read_per_file(value);
      case Form::extends: return read_extends(value);
    }
  }

  static std::string& path_of(std::string_view name, Settings& settings) {
    if (name == "baseline") return settings.baseline;
    if (name == "qat-policy") return settings.qat_policy;
    if (name == "model") return settings.model;
    return name == "params" ? settings.parameters : settings.modules;
  }

  std::string code_of(const Value& value) {
    const auto* text = value.get<std::string>();
    if (text == nullptr || !diag::names_any(*text)) {
      const std::string given = source::python_str(value);
      reject(value, fmt::format("unknown rule `{}`{}", base::printable(given), similar_rule(given)));
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
    const std::string listed(dialect::listed_value(*option, text));
    if (!option->accepts(listed)) {
      reject(value, option->max > 0
                        ? fmt::format("`{}` must be a whole number from 1 to {}", option->name, option->max)
                        : fmt::format("`{}` must be one of {}", option->name, fmt::join(option->values, ", ")));
    }
    settings.reader_options.emplace_back(option->name, listed);
    return true;
  }

  void read_whole_number(const SettingRow& row, const Value& value, std::optional<std::size_t>& out) {
    const auto* number = value.get<std::int64_t>();
    const auto max = static_cast<std::int64_t>(ir::kMaxStepsPerEpoch);
    if (number == nullptr || *number < 1 || *number > max) {
      reject(value, fmt::format("`{}` must be a whole number from 1 to {}", row.name, max));
      return;
    }
    out = static_cast<std::size_t>(*number);
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
    out = row.name == "model" && architecture::UserModel::is_name(*text)
              ? *text
              : (std::filesystem::path(out_.path).parent_path() / *text).lexically_normal().native();
  }

  void read_patterns(const Value& value) {
    const source::List one = {value};
    const auto* list = value.get<source::List>();
    for (const Value& item : list == nullptr ? one : *list) {
      const auto* pattern = item.get<std::string>();
      if (pattern == nullptr || pattern->empty()) {
        reject(item, "`exclude` must be a list of patterns, such as `[old/, '*.draft.yaml']`");
        return;
      }
      out_.exclude_patterns.push_back(*pattern);
    }
  }

  void read_extends(const Value& value) {
    const source::List one = {value};
    const auto* list = value.get<source::List>();
    for (const Value& item : list == nullptr ? one : *list) {
      const auto* path = item.get<std::string>();
      if (path == nullptr || path->empty()) {
        reject(item, "`extends` must be the path of a config file, or a list of paths");
      } else {
        bases_.push_back(item);
      }
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
      out_.own_patterns.push_back(source::python_str(pattern));
      read_mapping(settings, out, true);
    }
  }

  source::SourceFile file_;
  const Extending& extending_;
  ProjectSettings out_;
  std::vector<Value> bases_;  // paths of the extended files
  std::vector<SettingsFinding> errors_;
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
  merge(baseline, other.baseline);
  merge(from, other.from);
  classes.insert(classes.end(), other.classes.begin(), other.classes.end());
  merge(parameters, other.parameters);
  merge(modules, other.modules);
  merge(model, other.model);
  merge(qat_policy, other.qat_policy);
  merge(steps_per_epoch, other.steps_per_epoch);
  merge(parameter_groups, other.parameter_groups);
  merge(epochs, other.epochs);
  merge(initial_rate, other.initial_rate);
}

void ProjectSettings::add(ProjectSettings other) {
  settings.add(other.settings);
  for (const std::string& pattern : other.exclude_patterns) {
    exclude.add(pattern);
    exclude_patterns.push_back(pattern);
  }
  std::ranges::move(other.per_file, std::back_inserter(per_file));
}

ReadSettings read_settings(const std::string& path, std::string text) {
  return read_extending(path, std::move(text), Extending(path));
}

ReadSettings read_extending(const std::string& path, std::string text, const Extending& extending) {
  return SettingsReader(path, std::move(text), extending).read();
}

}  // namespace sparsecfg::project
