#include "dialect/record/setting.h"

#include <algorithm>

#include "base/number.h"
#include "base/text.h"

namespace sparsecfg::dialect {

std::optional<std::int64_t> Read<std::int64_t>::from(const source::Value& value) {
  const auto number = as_real(value);
  return number ? std::optional(base::whole_part(*number)) : std::nullopt;
}

template <class T>
static std::optional<T> of_type(const T* value) {
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::string> Read<std::string>::from(const source::Value& value) {
  return of_type(value.get<std::string>());
}

std::optional<Items> Read<Items>::from(const source::Value& value) {
  const auto* list = value.get<source::List>();
  return list == nullptr ? std::nullopt : std::optional(Items(*list));
}

std::optional<Pairs> Read<Pairs>::from(const source::Value& value) {
  const auto* map = value.get<source::Map>();
  return map == nullptr ? std::nullopt : std::optional(Pairs(*map));
}

bool may_have(const ClassSpec* spec, FieldName name) {
  return spec == nullptr || spec->open || spec->find(name) != nullptr ||
         std::ranges::find(spec->former, std::string_view(name), &FieldSpec::name) != spec->former.end();
}

// Reads a word, a number, or a list of words on one line.
static source::Value::Data flow_value(std::string_view text) {
  if (text.empty() || text == "null") return {};
  if (text == "true" || text == "false") return text == "true";
  if (const auto number = base::parse_double(text)) return *number;
  if (!text.starts_with('[')) return std::string(text);
  source::List out;
  for (std::string_view rest = text.substr(1, text.size() - 2); !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    out.push_back({std::string(base::trim(rest.substr(0, end))), {}});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

source::Value default_of(const Record& record, FieldName name) {
  const FieldSpec* row = record.spec == nullptr ? nullptr : record.spec->find(name);
  source::Value out{flow_value(row == nullptr ? std::string_view() : row->default_value), record.key};
  if (auto* list = std::get_if<source::List>(&out.data)) {
    for (source::Value& item : *list) item.span = record.key;
  }
  return out;
}

}  // namespace sparsecfg::dialect
