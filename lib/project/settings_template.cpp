#include <fmt/format.h>

#include <algorithm>

#include "dialect/dialect.h"
#include "project/settings.h"
#include "project/settings_rows.h"

namespace sparsecfg::project {

static std::string entry(std::string_view name, std::string_view doc, std::string_view example) {
  return fmt::format("\n# {}\n# {}: {}\n", doc, name, example);
}

std::string settings_template() {
  std::string out =
      "# Settings of sparsecfg for this folder and the folders below. Every setting is optional:\n"
      "# remove the `#` before those that you need. Options on the command line override them.\n";
  for (const SettingRow& row : setting_rows()) out += entry(row.name, row.doc, row.example);
  for (const dialect::ReaderOption& option : dialect::reader_options()) {
    if (option.values.empty()) {
      out += entry(option.name, option.doc, "NAME");
    } else {
      const std::string values = fmt::format("{} ({})", option.doc, fmt::join(option.values, ", "));
      out += entry(option.name, values, fmt::format("\"{}\"", option.values.front()));
    }
  }
  return out;
}

}  // namespace sparsecfg::project
