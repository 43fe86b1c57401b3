#include "dialect/dialect.h"

#include <algorithm>

namespace sparsecfg::dialect {

static bool mentions(std::string_view text, const Dialect& dialect) {
  return std::ranges::any_of(dialect.words,
                             [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

static const Dialect* first(auto fits) {
  const auto found = std::ranges::find_if(dialects(), [&](const Dialect* dialect) { return fits(*dialect); });
  return found == dialects().end() ? nullptr : *found;
}

const Dialect* detect(const doc::Document& document) {
  return first([&](const Dialect& dialect) { return dialect.claims(document); });
}

const Dialect* detect(std::string_view unreadable) {
  return first([&](const Dialect& dialect) { return mentions(unreadable, dialect); });
}

const Dialect* detect_in_script(std::string_view script) {
  return first([&](const Dialect& dialect) { return dialect.scripts && mentions(script, dialect); });
}

bool imports(std::string_view script, const Dialect& dialect) {
  const std::string module(dialect.module);
  const auto words = std::ranges::count_if(
      dialect.words, [&](std::string_view word) { return script.find(word) != std::string_view::npos; });
  return words > 1 || (!module.empty() && (script.find("from " + module) != std::string_view::npos ||
                                           script.find("import " + module) != std::string_view::npos));
}

}  // namespace sparsecfg::dialect
