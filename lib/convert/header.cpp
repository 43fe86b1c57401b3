#include "convert/parts.h"

#include <fmt/core.h>

#include <string_view>

#include "base/text.h"
#include "doc/readers.h"

namespace sparsecfg::convert {

static std::string_view recipe_in(const source::SourceFile& file) {
  const auto front =
      base::to_lower(base::ending_of(file.name())) == "md" ? doc::find_front_matter(file.text()) : std::nullopt;
  return front ? file.text(front->yaml) : file.text();
}

static bool is_tool_comment(std::string_view comment) {
  return comment.find("yaml-language-server:") != std::string_view::npos ||
         comment.find("sparsecfg:") != std::string_view::npos;
}

std::string header_of(const source::SourceFile& file, bool for_another) {
  std::string_view text = recipe_in(file);
  std::string header;
  std::string gap;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = base::trim(text.substr(0, end + 1));
    if (line.starts_with('#') && !(for_another && is_tool_comment(line))) {
      header += gap + std::string(line) + "\n";
      gap.clear();
    } else if (line.empty()) {
      gap = header.empty() ? "" : "\n";
    } else if (!line.starts_with('#')) {
      break;
    }
    text.remove_prefix(end + 1);
  }
  return header + (header.empty() ? "" : "\n");
}

std::string instructions_of(const dialect::Written& written, const ir::Recipe& recipe) {
  std::string out;
  for (const dialect::ActionStatus& status : written.statuses) {
    if (status.kind == dialect::ActionStatus::Kind::not_converted) {
      const std::string& name = recipe.actions[status.action].origin.class_name;
      out += fmt::format("#   {}: {}\n", base::printable(name), base::printable(status.reason));
    }
  }
  for (const std::string& line : written.instructions) {
    out += fmt::format("#   {}\n", base::printable(line));
  }
  return out.empty() ? out : "# Settings to make outside this file:\n" + out + "\n";
}

}  // namespace sparsecfg::convert
