#include "dialect/nni/selectors.h"

#include "dialect/nni/values.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::nni {

static Selectors lists_of(const source::Map& entry, const std::string& prefix) {
  return {texts_of(entry, prefix + "op_types"), texts_of(entry, prefix + "op_names"),
          texts_of(entry, prefix + "op_names_re"), texts_of(entry, prefix + "op_partial_names")};
}

Selectors selectors_of(const source::Map& entry) { return lists_of(entry, ""); }

Selectors exclusions_of(const source::Map& entry) { return lists_of(entry, "exclude_"); }

model::Selector Selectors::named() const {
  using Kind = model::Term::Kind;
  model::Selector out;
  out.over = model::Selector::Over::modules;
  for (const auto& name : names) out.terms.push_back({Kind::exact, name.value, name.span});
  for (const auto& pattern : patterns) out.terms.push_back({Kind::pattern, pattern.value, pattern.span});
  for (const auto& part : parts) {
    out.terms.push_back({Kind::pattern, ".*" + regex::literal(part.value), part.span});
  }
  return out;
}

}  // namespace sparsecfg::dialect::nni
