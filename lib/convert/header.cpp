#include "convert/header.h"

#include <string_view>

#include "base/text.h"
#include "doc/front_matter.h"

namespace sparsecfg::convert {

static std::string_view recipe_in(const source::SourceFile& file) {
  const auto front =
      base::to_lower(base::ending_of(file.name())) == "md" ? doc::find_front_matter(file.text()) : std::nullopt;
  return front ? file.text(front->yaml) : file.text();
}

std::string header_of(const source::SourceFile& file) {
  std::string_view text = recipe_in(file);
  std::string header;
  std::string gap;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = base::trim(text.substr(0, end + 1));
    if (line.starts_with('#')) {
      header += gap + std::string(line) + "\n";
      gap.clear();
    } else if (line.empty()) {
      gap = header.empty() ? "" : "\n";
    } else {
      break;
    }
    text.remove_prefix(end + 1);
  }
  return header + (header.empty() ? "" : "\n");
}

}  // namespace sparsecfg::convert
