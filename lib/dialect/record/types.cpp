#include "dialect/record/types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace sparsecfg::dialect {

using source::Value;

std::optional<double> as_real(const Value& value) {
  const auto* text = value.get<std::string>();
  return text == nullptr ? value.number() : base::python_float(*text);
}

std::optional<bool> as_boolean(const Value& value) {
  static constexpr std::array<std::string_view, 6> kTrue = {"1", "on", "t", "true", "y", "yes"};
  static constexpr std::array<std::string_view, 6> kFalse = {"0", "off", "f", "false", "n", "no"};
  if (const auto* text = value.get<std::string>()) {
    const std::string word = base::to_lower(*text);
    const bool yes = std::ranges::find(kTrue, word) != kTrue.end();
    return yes || std::ranges::find(kFalse, word) != kFalse.end() ? std::optional(yes) : std::nullopt;
  }
  const auto number = value.number();
  return number == 0.0 || number == 1.0 ? std::optional(number == 1.0) : std::nullopt;
}

// Type strings with a decimal point if only zeros follow it.
static bool is_whole(const Value& value) {
  if (const auto* text = value.get<std::string>()) {
    const auto number = base::python_float(*text);
    return number && std::isfinite(*number) && *number == std::floor(*number) &&
           text->find_first_of("eE") == std::string::npos;
  }
  const auto number = value.number();
  return value.get<source::BigInt>() != nullptr || (number && std::isfinite(*number) && *number == std::floor(*number));
}

static bool is_text(const Value& value) { return value.get<std::string>() != nullptr; }

static bool is_list_of(const Value& value, auto fits_item) {
  const auto* list = value.get<source::List>();
  return list != nullptr && std::ranges::all_of(*list, fits_item);
}

static bool is_mapping(const Value& value) {
  const auto* map = value.get<source::Map>();
  return map != nullptr && std::ranges::all_of(*map, [](const source::Entry& entry) { return is_text(entry.first); });
}

static bool is_layer_or_pair(const Value& value) {
  const auto* pair = value.get<source::List>();
  return is_text(value) || (pair != nullptr && pair->size() == 2 && std::ranges::all_of(*pair, is_text));
}

static bool fits_one(const Value& value, Type type) {
  switch (type) {
    case Type::any: return true;
    case Type::real: return as_real(value).has_value();
    case Type::whole: return is_whole(value);
    case Type::boolean: return as_boolean(value).has_value();
    case Type::text: return is_text(value);
    case Type::texts: return is_list_of(value, is_text);
    case Type::reals: return is_list_of(value, [](const Value& item) { return as_real(item).has_value(); });
    case Type::mapping: return is_mapping(value);
    case Type::mappings: return is_list_of(value, is_mapping);
    case Type::groups: return is_list_of(value, [](const Value& item) { return item.get<source::List>() != nullptr; });
    case Type::layer_pairs: return is_list_of(value, is_layer_or_pair);
    case Type::record:
    case Type::named_records: return is_mapping(value);
    case Type::records: return value.get<source::List>() != nullptr;
    case Type::exact_boolean: return !is_text(value) && as_boolean(value).has_value();
    case Type::number: return value.number().has_value();
    case Type::exact_float: return value.get<double>() != nullptr;
    case Type::truth:
    case Type::selectors: return true;  // checked where they are used
    case Type::list: return value.get<source::List>() != nullptr;
    case Type::any_mapping:
    case Type::selectors_by: return value.get<source::Map>() != nullptr;
    case Type::integer: return value.get<std::int64_t>() != nullptr || value.get<source::BigInt>() != nullptr;
    case Type::text_groups: return is_list_of(value, [](const Value& item) { return is_list_of(item, is_text); });
    case Type::choice:
    case Type::choices: return false;  // depends on the row; see ValueCheck::fits_choice()
  }
  return false;
}

static constexpr std::array<std::pair<Type, std::string_view>, 25> kNames = {{
    {Type::real, "a number"},
    {Type::number, "a number"},
    {Type::exact_float, "a float"},
    {Type::whole, "a whole number"},
    {Type::integer, "an int"},
    {Type::boolean, "true or false"},
    {Type::text, "a string"},
    {Type::texts, "a list of strings"},
    {Type::reals, "a list of numbers"},
    {Type::mapping, "a mapping with string keys"},
    {Type::mappings, "a list of mappings"},
    {Type::groups, "a list of lists"},
    {Type::text_groups, "a list of lists of strings"},
    {Type::layer_pairs, "a list of strings or pairs of strings"},
    {Type::choice, "one of its allowed values"},
    {Type::choices, "a list of allowed values"},
    {Type::record, "a mapping of fields"},
    {Type::records, "a list of mappings"},
    {Type::named_records, "a mapping from names to mappings"},
    {Type::exact_boolean, "true or false"},
    {Type::truth, "true or false"},
    {Type::list, "a list"},
    {Type::any_mapping, "a mapping"},
    {Type::selectors, "a list of selectors"},
    {Type::selectors_by, "a mapping from sparsities to selectors"},
}};

bool fits(const Value& value, Type type) {
  return type == Type::any || std::ranges::any_of(kNames, [&](const auto& known) {
           return allows(type, known.first) && fits_one(value, known.first);
         });
}

const Value& wrong_part(const Value& value, Type type) {
  if (const auto* list = value.get<source::List>()) {
    for (const Value& item : *list) {
      if (fits(Value{source::List{}, {}}, type) && !fits(Value{source::List{item}, {}}, type)) {
        return item;
      }
    }
  }
  return value;
}

std::string describe(const FieldSpec& spec) {
  const bool is_number = (static_cast<unsigned>(spec.type) & ~static_cast<unsigned>(kNumbers)) == 0;
  if (spec.unit == Unit::epochs && is_number && spec.type != Type::any) {
    return "a number of epochs";
  }
  std::string out;
  for (const auto& [type, name] : kNames) {
    if (allows(spec.type, type)) {
      out += out.empty() ? "" : " or ";
      out += name;
    }
  }
  return out.empty() ? "anything" : out;
}

}  // namespace sparsecfg::dialect
