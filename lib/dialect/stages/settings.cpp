#include "dialect/stages/settings.h"

#include <algorithm>

#include "base/number.h"
#include "base/text.h"

namespace sparsecfg::dialect::stages {

using source::Value;

// Numbers are written as Python's repr, whether or not they are strings.
static std::string text_of_number(double number) {
  std::string out = base::python_repr(number);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

static std::string text_of_word(const std::string& word) {
  const auto number = base::python_float(word);
  return number ? text_of_number(*number) : word;
}

std::string text_of_value(const Value& value) {
  if (value.is_null()) return "null";
  if (const auto* flag = value.get<bool>()) return *flag ? "true" : "false";
  if (const auto* text = value.get<std::string>()) return text_of_word(*text);
  const auto number = value.number();
  return number ? text_of_number(*number) : base::printable(source::python_str(value));
}

std::vector<ir::MethodSetting> settings_of(const Record& record, std::initializer_list<std::string_view> other) {
  std::vector<ir::MethodSetting> out;
  const auto is_other = [&](std::string_view name) { return std::ranges::find(other, name) != other.end(); };
  for (const FieldSpec& spec : record.spec->fields) {
    if (is_other(spec.name) || !spec.no_effect.empty()) continue;
    const Field* field = record.fields.find(spec.name);
    const std::string usual = text_of_word(std::string(spec.default_value));
    const std::string value = field == nullptr ? usual : text_of_value(field->value);
    const bool unknown = field != nullptr && field->unknown;
    out.push_back({std::string(spec.name), value, unknown, !unknown && value == usual});
  }
  for (const Field& field : record.fields) {
    const bool listed = std::ranges::find(out, field.name, &ir::MethodSetting::name) != out.end();
    const bool former =
        std::ranges::find(record.spec->former, field.name, &FieldSpec::name) != record.spec->former.end();
    const bool unknown = field.spec == nullptr && !former && !record.spec->open;  // rejected, or silently ignored
    const bool ignored = unknown || (field.spec != nullptr && !field.spec->no_effect.empty());
    if (!listed && !ignored && !is_other(field.name)) {
      out.push_back({base::printable(field.name), text_of_value(field.value), field.unknown});
    }
  }
  std::ranges::sort(out, {}, &ir::MethodSetting::name);
  return out;
}

}  // namespace sparsecfg::dialect::stages
