#include "ir/recipe.h"

#include <algorithm>

#include "base/text.h"
#include "ir/fields.h"

namespace sparsecfg::ir {

bool operator==(const Origin& a, const Origin& b) { return has_same_fields(a, b); }

bool operator==(const Action& a, const Action& b) { return has_same_fields(a, b); }

bool operator==(const Variable& a, const Variable& b) { return has_same_fields(a, b); }

const OriginField* Origin::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &OriginField::name);
  return found == fields.end() ? nullptr : &*found;
}

const source::Value* Origin::given(std::string_view name) const {
  const OriginField* field = find(name);
  return field == nullptr || field->value.is_null() ? nullptr : &field->value;
}

source::Span Origin::place(std::string_view name) const {
  const OriginField* field = find(name);
  return field == nullptr ? span : field->value.span;
}

const OriginField* Origin::field_at(source::Span place) const {
  const auto found = std::ranges::find_if(fields, [&](const OriginField& field) {
    return field.value.span.begin <= place.begin && place.end <= field.value.span.end;
  });
  return found == fields.end() ? nullptr : &*found;
}

const OriginField* Origin::whole_field_at(source::Span place) const {
  const auto found = std::ranges::find(fields, place, [](const OriginField& field) { return field.value.span; });
  return found == fields.end() ? nullptr : &*found;
}

bool Origin::is_literal(source::Span place) const {
  return std::ranges::any_of(fields,
                             [&](const OriginField& field) { return field.value.span == place && !field.evaluated; });
}

std::optional<WritableValue> Origin::writable(source::Span place) const {
  const OriginField* field = place.empty() ? nullptr : whole_field_at(place);
  if (field == nullptr) return std::nullopt;
  if (!field->evaluated || field->definition == place) {
    return WritableValue{std::string(base::last_part(field->name)), place};
  }
  if (field->variable.empty() || field->definition.empty()) return std::nullopt;
  return WritableValue{field->variable, field->definition};
}

const Located<double>* Cadence::every() const {
  return std::visit(
      [](const auto& one) -> const Located<double>* {
        if constexpr (requires { one.every; }) return one.every ? &*one.every : nullptr;
        return nullptr;
      },
      rhythm);
}

std::span<const Located<double>> Cadence::listed() const {
  const auto* epochs = std::get_if<WholeEpochs>(&rhythm);
  return epochs == nullptr ? std::span<const Located<double>>() : epochs->listed;
}

const StepSchedule* Cadence::counted() const {
  const auto* counted = std::get_if<Counted>(&rhythm);
  return counted == nullptr ? nullptr : &counted->schedule;
}

Cadence Cadence::as_phase() const { return counted() != nullptr ? *this : Cadence{start, end}; }

bool Recipe::has_timeline() const {
  return trains && std::ranges::none_of(actions, [](const Action& action) { return action.cadence.is<WholeSteps>(); });
}

}  // namespace sparsecfg::ir
