#include "convert/normalize.h"

#include "base/text.h"
#include "doc/front_matter.h"

namespace sparsecfg::convert {

std::string normalized(const source::SourceFile& file, const Conversion& conversion) {
  const auto front =
      base::to_lower(base::ending_of(file.name())) == "md" ? doc::find_front_matter(file.text()) : std::nullopt;
  if (!front) {
    return conversion.text;
  }
  const std::string text(file.text());
  return text.substr(0, front->yaml.begin) + "\n" + conversion.text + text.substr(front->yaml.end);
}

}  // namespace sparsecfg::convert
