#include "ir/selector_text.h"

#include <fmt/core.h>

#include "base/text.h"

namespace sparsecfg::ir {

std::string selector_text(const model::Selector& selector) {
  std::string out;
  const auto add = [&](const model::Term& term, std::string_view before) {
    out += (out.empty() ? "" : ", ") + std::string(before) + (term.kind == model::Term::Kind::pattern ? "re:" : "") +
           base::printable(term.text);
  };
  for (const model::Term& term : selector.terms) {
    add(term, "");
  }
  for (const model::Term& term : selector.excluded) {
    add(term, "not ");
  }
  return selector.tensor.empty() ? out : out + ": " + base::printable(selector.tensor);
}

std::string numbered_name(const Origin& origin) {
  return origin.ordinal > 0 ? fmt::format("{}#{}", origin.class_name, origin.ordinal) : origin.class_name;
}

}  // namespace sparsecfg::ir
