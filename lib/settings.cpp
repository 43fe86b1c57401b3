#include "settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "doc/construct.h"
#include "doc/yaml_reader.h"
#include "source/load.h"

namespace sparsecfg {

using source::Value;

constexpr std::string_view kName = ".sparsecfg.yaml";
constexpr std::string_view kKeys[] = {"select", "ignore", "severity", "fail-on"};

class SettingsReader {
 public:
  SettingsReader(const std::string& path, std::string text) : path_(path), file_(path, std::move(text)) {}

  std::variant<Settings, SettingsError> read() {
    diag::Sink sink;
    const auto document = doc::read_yaml(file_, {0, static_cast<std::uint32_t>(file_.text().size())}, {}, sink);
    const Value all = document ? doc::construct(*document, document->root, sink) : Value{};
    if (sink.has_errors()) {
      const diag::Diagnostic first = sink.take().front();
      return SettingsError{path_, fmt::format("line {}: {}", line_of(first.span), first.message)};
    }
    if (const auto* map = all.get<source::Map>()) {
      for (const auto& [key, value] : *map) {
        read_key(key, value);
      }
    } else if (!all.is_null()) {
      reject(all, "settings are a mapping");
    }
    if (reason_.empty()) {
      return std::move(settings_);
    }
    return SettingsError{path_, reason_};
  }

 private:
  std::uint32_t line_of(source::Span span) const { return file_.position(span.begin).line; }

  void reject(const Value& value, const std::string& why) {
    if (reason_.empty()) reason_ = fmt::format("line {}: {}", line_of(value.span), why);
  }

  void read_key(const Value& key, const Value& value) {
    const std::string name = source::python_str(key);
    if (name == "select") {
      read_codes(value, settings_.levels.select);
    } else if (name == "ignore") {
      read_codes(value, settings_.levels.ignore);
    } else if (name == "severity") {
      read_severities(value);
    } else if (name == "fail-on") {
      settings_.fail_on = severity_of(value);
    } else {
      const auto guess = base::nearest(name, kKeys);
      reject(key, fmt::format("unknown setting `{}`{}", base::printable(name),
                              guess ? fmt::format("; did you mean `{}`?", *guess) : ""));
    }
  }

  std::string code_of(const Value& value) {
    const auto* text = value.get<std::string>();
    if (text == nullptr || !diag::names_any(*text)) {
      reject(value, fmt::format("there is no diagnostic `{}`", base::printable(source::python_str(value))));
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

  std::optional<diag::Severity> severity_of(const Value& value) {
    const auto severity = diag::read_severity(source::python_str(value));
    if (!severity) {
      reject(value, "a severity is `error`, `warning` or `info`");
    }
    return severity;
  }

  void read_severities(const Value& value) {
    const auto* map = value.get<source::Map>();
    if (map == nullptr) {
      reject(value, "`severity` is a mapping of codes to severities");
      return;
    }
    for (const auto& [code, level] : *map) {
      const std::string named = code_of(code);
      if (const auto severity = severity_of(level)) {
        settings_.levels.severities.emplace_back(named, *severity);
      }
    }
  }

  std::string path_;
  source::SourceFile file_;
  Settings settings_;
  std::string reason_;
};

std::variant<Settings, SettingsError> read_settings(const std::string& path, std::string text) {
  return SettingsReader(path, std::move(text)).read();
}

const std::variant<Settings, SettingsError>& SettingsFinder::of(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path file = std::filesystem::absolute(path == "-" ? "." : path, ignored);
  return of_folder(path == "-" ? file.lexically_normal() : file.parent_path().lexically_normal());
}

const std::variant<Settings, SettingsError>& SettingsFinder::of_folder(const std::filesystem::path& folder) {
  const auto known = known_.find(folder);
  if (known != known_.end()) {
    return known->second;
  }
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
  const std::string path = (folder / kName).string();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    auto text = source::read_file(path, kMaxBytes);
    const auto* failure = std::get_if<source::LoadError>(&text);
    auto settings = failure != nullptr ? std::variant<Settings, SettingsError>(SettingsError{path, failure->reason})
                                       : read_settings(path, std::get<std::string>(std::move(text)));
    return known_.emplace(folder, std::move(settings)).first->second;
  }
  const std::filesystem::path above = folder.parent_path();
  auto settings =
      above == folder || above.empty() ? std::variant<Settings, SettingsError>(Settings{}) : of_folder(above);
  return known_.emplace(folder, std::move(settings)).first->second;
}

}  // namespace sparsecfg
