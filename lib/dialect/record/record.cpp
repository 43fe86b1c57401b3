#include "dialect/record/record.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/number.h"
#include "dialect/record/types.h"

namespace sparsecfg::dialect {

Fields::Fields(std::vector<Field> fields) : fields_(std::move(fields)), by_name_(fields_.size()) {
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  std::ranges::stable_sort(by_name_, {}, [&](std::uint32_t at) -> std::string_view { return fields_[at].name; });
}

const Field* Fields::find(FieldName field) const {
  const std::string_view name = field;
  const auto found = std::ranges::lower_bound(by_name_, name, {},
                                              [&](std::uint32_t at) -> std::string_view { return fields_[at].name; });
  return found == by_name_.end() || fields_[*found].name != name ? nullptr : &fields_[*found];
}

const Field* Record::readable(FieldName name) const {
  const Field* field = find(name);
  return field != nullptr && field->valid ? field : nullptr;
}

const source::Value* Record::given(FieldName name) const {
  const Field* field = readable(name);
  return field == nullptr || field->value.is_null() ? nullptr : &field->value;
}

bool Record::gives(FieldName name) const {
  const Field* field = find(name);
  return field != nullptr && !field->value.is_null();
}

static std::string_view default_of(const ClassSpec* spec, std::string_view name) {
  const FieldSpec* row = spec == nullptr ? nullptr : spec->find(name);
  return row == nullptr ? std::string_view() : row->default_value;
}

std::optional<double> Record::number(FieldName name) const {
  const Field* field = find(name);
  return field != nullptr ? as_real(field->value) : base::parse_double(default_of(spec, name));
}

std::string Record::text(FieldName name) const {
  if (const Field* field = find(name)) {
    const auto* text = field->value.get<std::string>();
    return text == nullptr ? std::string() : *text;
  }
  return std::string(default_of(spec, name));
}

bool Record::flag(FieldName name) const {
  const Field* field = find(name);
  return field != nullptr ? as_boolean(field->value).value_or(false) : default_of(spec, name) == "true";
}

source::Span Record::place(FieldName name) const {
  const Field* field = find(name);
  return field == nullptr ? key : field->value.span;
}

source::Located<double> Record::located(FieldName name) const { return {number(name).value_or(0), place(name)}; }

}  // namespace sparsecfg::dialect
