#include "ir/recipe.h"

#include <algorithm>

#include "ir/fields.h"

namespace sparsecfg::ir {

bool operator==(const Origin& a, const Origin& b) { return has_same_fields(a, b); }

bool operator==(const Action& a, const Action& b) { return has_same_fields(a, b); }

bool operator==(const Variable& a, const Variable& b) { return has_same_fields(a, b); }

const OriginField* Origin::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &OriginField::name);
  return found == fields.end() ? nullptr : &*found;
}

source::Span Origin::place(std::string_view name) const {
  const OriginField* field = find(name);
  return field == nullptr ? span : field->value.span;
}

bool Recipe::has_timeline() const {
  return trains && std::ranges::none_of(
                       actions, [](const Action& action) { return action.cadence.kind == Cadence::Kind::whole_steps; });
}

}  // namespace sparsecfg::ir
