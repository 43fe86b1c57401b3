#include "dialect/checkpoint/values.h"

#include <algorithm>

#include "base/text.h"
#include "model/selectors/entries.h"

namespace sparsecfg::dialect::checkpoint {

std::optional<std::string_view> text_of(const Value* value) {
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? std::nullopt : std::optional<std::string_view>(*text);
}

const Value* first_of(const Value& config, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const Value* value = config.find(key)) return value;
  }
  return nullptr;
}

bool is_set(const Value& config, std::string_view key) {
  const Value* value = config.find(key);
  return value != nullptr && selectors::python_bool(*value);
}

bool sets_bits(const Value& config) {
  return std::ranges::any_of(kBitsFlags, [&](std::string_view flag) { return is_set(config, flag); });
}

std::optional<double> number_of(const Value* value, std::optional<double> fallback) {
  if (value == nullptr) return fallback;
  return value->get<bool>() != nullptr ? std::nullopt : value->number();
}

bool is_one_of(const Value* value, std::initializer_list<std::string_view> choices) {
  const auto text = text_of(value);
  return value == nullptr || (text && std::ranges::find(choices, *text) != choices.end());
}

bool is_one_of_lower(const Value* value, std::initializer_list<std::string_view> choices) {
  return value == nullptr || std::ranges::find(choices, base::to_lower(source::python_str(*value))) != choices.end();
}

bool is_number_in(const Value* value, std::initializer_list<std::int64_t> choices) {
  const auto number = value == nullptr ? std::nullopt : value->number();
  const auto equals = [&](std::int64_t choice) { return number == static_cast<double>(choice); };
  return value == nullptr || (number && std::ranges::any_of(choices, equals));
}

}  // namespace sparsecfg::dialect::checkpoint
