#include "compile/same_code.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/parts.h"
#include "python/token.h"

namespace sparsecfg {

// Returns the words of a script without its comments. Their indentation decides the blocks.
static std::vector<std::pair<std::string_view, std::int32_t>> code_of(const source::SourceFile& script) {
  std::vector<source::Span> comments;
  std::vector<std::pair<std::string_view, std::int32_t>> out;
  for (const python::Token& token : python::tokenize_script(script.text(), {0, script.text().size()}, comments)) {
    out.emplace_back(token.text, token.indent);
  }
  return out;
}

bool is_same_code(const source::SourceFile& before, const source::SourceFile& after) {
  if (before.others() != after.others()) return false;
  const auto is_script = [](const source::SourceFile& file) { return extension_of(file.name()) == "py"; };
  return before.text() == after.text() || (is_script(before) && is_script(after) && code_of(before) == code_of(after));
}

}  // namespace sparsecfg
