#include "dialect/nni/values.h"

#include <algorithm>

namespace sparsecfg::dialect::nni {

using source::List;
using source::Located;
using source::Map;
using source::Value;

static auto is_key(std::string_view key) {
  return [key](const source::Entry& entry) {
    const auto* text = entry.first.get<std::string>();
    return text != nullptr && *text == key;
  };
}

source::Entry* find_entry(Map& map, std::string_view key) {
  const auto found = std::ranges::find_if(map, is_key(key));
  return found == map.end() ? nullptr : &*found;
}

const source::Entry* find_entry(const Map& map, std::string_view key) {
  const auto found = std::ranges::find_if(map, is_key(key));
  return found == map.end() ? nullptr : &*found;
}

const Value* find_value(const Map& map, std::string_view key) {
  const source::Entry* entry = find_entry(map, key);
  return entry == nullptr ? nullptr : &entry->second;
}

void put(Map& map, std::string_view key, Value value) {
  if (source::Entry* entry = find_entry(map, key)) {
    entry->second = std::move(value);
    return;
  }
  Value name{std::string(key), value.span};
  map.emplace_back(std::move(name), std::move(value));
}

std::optional<Value> pop(Map& map, std::string_view key) {
  const auto found = std::ranges::find_if(map, is_key(key));
  if (found == map.end()) {
    return std::nullopt;
  }
  Value value = std::move(found->second);
  map.erase(found);
  return value;
}

std::string name_of(const source::Entry& entry) {
  const auto* text = entry.first.get<std::string>();
  return text != nullptr ? *text : source::python_str(entry.first);
}

std::vector<Located<std::string>> texts_of(const Value* value) {
  std::vector<Located<std::string>> texts;
  const auto* list = value == nullptr ? nullptr : value->get<List>();
  for (const Value& item : list == nullptr ? List() : *list) {
    if (const auto* text = item.get<std::string>()) {
      texts.push_back({*text, item.span});
    }
  }
  return texts;
}

std::optional<double> plain_number(const Value* value) {
  return value == nullptr || value->get<bool>() != nullptr ? std::nullopt : value->number();
}

}  // namespace sparsecfg::dialect::nni
