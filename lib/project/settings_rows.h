#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// The table of the settings of a config file. The reader, the JSON Schema and the template are loops over its rows.
namespace sparsecfg::project {

// Type of the value of a setting.
enum class Form : std::uint8_t {
  codes,
  severities,
  fail_on,
  dialect,
  whole_number,
  number,
  path,
  custom,
  patterns,
  per_file,
  extends
};

struct SettingRow {
  std::string_view name;
  Form form;
  std::string_view example;  // a value for the template, in flow style
  std::string_view doc;
};

[[nodiscard]] std::span<const SettingRow> setting_rows();

// Returns nullptr for an unknown setting.
[[nodiscard]] const SettingRow* find_setting(std::string_view name);

// Returns true if the setting is accepted in `per-file`, or at the top level.
[[nodiscard]] bool is_allowed(const SettingRow& row, bool per_file);

// Returns true for a setting whose value names rules.
[[nodiscard]] bool is_list_of_rules(std::string_view name);

}  // namespace sparsecfg::project
