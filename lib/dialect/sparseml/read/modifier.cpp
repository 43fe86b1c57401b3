#include "dialect/sparseml/read/modifier.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"

namespace sparsecfg::dialect::sparseml {

const Field* Modifier::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

const Field* Modifier::readable(std::string_view name) const {
  const Field* field = find(name);
  return field != nullptr && field->valid ? field : nullptr;
}

bool Modifier::gives(std::string_view name) const {
  const Field* field = find(name);
  return field != nullptr && !field->value.is_null();
}

std::optional<double> Modifier::number(std::string_view name) const {
  if (const Field* field = find(name)) {
    const auto* text = field->value.get<std::string>();
    return text != nullptr ? base::python_float(*text) : field->value.number();
  }
  const FieldSpec* row = spec->find(name);
  return row == nullptr ? std::nullopt : base::parse_double(row->default_value);
}

std::string Modifier::text(std::string_view name) const {
  if (const Field* field = find(name)) {
    const auto* text = field->value.get<std::string>();
    return text == nullptr ? std::string() : *text;
  }
  const FieldSpec* row = spec->find(name);
  return row == nullptr ? std::string() : std::string(row->default_value);
}

source::Span Modifier::place(std::string_view name) const {
  const Field* field = find(name);
  return field == nullptr ? tag : field->value.span;
}

bool counts_as_empty(const source::Value& value) {
  const auto* text = value.get<std::string>();
  const auto* list = value.get<source::List>();
  const auto* map = value.get<source::Map>();
  return value.is_null() || (text != nullptr && text->empty()) || (list != nullptr && list->empty()) ||
         (map != nullptr && map->empty()) || value.number() == 0.0;
}

bool counts_as_true(const source::Value& value) {
  if (const auto* text = value.get<std::string>()) {
    return !text->empty() && base::to_lower(*text).find_first_of("f0") == std::string::npos;
  }
  return value.number().value_or(0) != 0;
}

double Modifier::start() const { return number("start_epoch").value_or(-1); }

double Modifier::end() const {
  const FieldSpec* row = spec->find("end_epoch");
  const double end = row == nullptr || !row->no_effect.empty() ? -1 : number("end_epoch").value_or(-1);
  return std::isnan(end) ? -1 : end;
}

}  // namespace sparsecfg::dialect::sparseml
