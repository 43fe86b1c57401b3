#include "dialect/torchao/serialized.h"

#include "base/text.h"

namespace sparsecfg::dialect::torchao {

using source::Value;

const std::string* type_of(const Value& value) {
  const Value* type = value.find("_type");
  return type == nullptr ? nullptr : type->get<std::string>();
}

const Value* data_of(const Value& value) { return value.find("_data"); }

std::string type_in(const Value& data, std::string_view field) {
  const Value* type = data.find(field);
  const Value* name = type == nullptr ? nullptr : data_of(*type);
  return name == nullptr ? std::string() : source::python_str(*name);
}

std::string word_in(const Value& data, std::string_view field) {
  const Value* word = data.find(field);
  if (word != nullptr && word->get<source::Map>() != nullptr) word = data_of(*word);
  return word == nullptr ? std::string() : base::to_lower(source::python_str(*word));
}

std::int64_t number_in(const Value* value, std::int64_t otherwise) {
  const auto number = value == nullptr ? std::nullopt : value->number();
  return number ? static_cast<std::int64_t>(*number) : otherwise;
}

const Value* first_of(const Value* value) {
  const auto* list = value == nullptr ? nullptr : value->get<source::List>();
  return list == nullptr || list->empty() ? value : &list->front();
}

const Value* last_of(const Value* value) {
  const auto* list = value == nullptr ? nullptr : value->get<source::List>();
  return list == nullptr || list->empty() ? value : &list->back();
}

bool reduces_rows(const source::Value& granularity) {
  const std::string* type = type_of(granularity);
  const source::Value* data = type == nullptr || *type != "PerRow" ? nullptr : data_of(granularity);
  const source::Value* dim = data == nullptr ? nullptr : data->find("dim");
  return dim != nullptr && (dim->number() == 0.0 || dim->number() == -2.0);
}

}  // namespace sparsecfg::dialect::torchao
