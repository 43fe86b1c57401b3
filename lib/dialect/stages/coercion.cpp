#include "dialect/stages/coercion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace sparsecfg::dialect::stages {

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

// Accepts strings with a decimal point if only zeros follow it.
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

static bool fits_one(const Value& value, Accepts type) {
  switch (type) {
    case Accepts::anything: return true;
    case Accepts::real: return as_real(value).has_value();
    case Accepts::whole: return is_whole(value);
    case Accepts::boolean: return as_boolean(value).has_value();
    case Accepts::text: return is_text(value);
    case Accepts::texts: return is_list_of(value, is_text);
    case Accepts::reals: return is_list_of(value, [](const Value& item) { return as_real(item).has_value(); });
    case Accepts::mapping: return is_mapping(value);
    case Accepts::mappings: return is_list_of(value, is_mapping);
    case Accepts::groups:
      return is_list_of(value, [](const Value& item) { return item.get<source::List>() != nullptr; });
    case Accepts::layer_pairs: return is_list_of(value, is_layer_or_pair);
    case Accepts::record:
    case Accepts::named_records: return is_mapping(value);
    case Accepts::records: return value.get<source::List>() != nullptr;
    case Accepts::exact_boolean: return !is_text(value) && as_boolean(value).has_value();
    case Accepts::choice:
    case Accepts::choices: return false;  // depends on the row; see ValueCheck::fits_choice()
  }
  return false;
}

static constexpr std::array<std::pair<Accepts, std::string_view>, 16> kNames = {{
    {Accepts::real, "a number"},
    {Accepts::whole, "a whole number"},
    {Accepts::boolean, "true or false"},
    {Accepts::text, "a string"},
    {Accepts::texts, "a list of strings"},
    {Accepts::reals, "a list of numbers"},
    {Accepts::mapping, "a mapping with string keys"},
    {Accepts::mappings, "a list of mappings"},
    {Accepts::groups, "a list of lists"},
    {Accepts::layer_pairs, "a list of strings or pairs of strings"},
    {Accepts::choice, "one of the allowed words"},
    {Accepts::choices, "a list of allowed words"},
    {Accepts::record, "a mapping of fields"},
    {Accepts::records, "a list of mappings"},
    {Accepts::named_records, "a mapping from names to mappings"},
    {Accepts::exact_boolean, "true or false"},
}};

bool fits(const Value& value, Accepts accepts) {
  return accepts == Accepts::anything || std::ranges::any_of(kNames, [&](const auto& known) {
           return allows(accepts, known.first) && fits_one(value, known.first);
         });
}

const Value& misfit(const Value& value, Accepts accepts) {
  if (const auto* list = value.get<source::List>()) {
    for (const Value& item : *list) {
      if (fits(Value{source::List{}, {}}, accepts) && !fits(Value{source::List{item}, {}}, accepts)) {
        return item;
      }
    }
  }
  return value;
}

std::string describe(Accepts accepts) {
  std::string out;
  for (const auto& [type, name] : kNames) {
    if (allows(accepts, type)) {
      out += out.empty() ? "" : " or ";
      out += name;
    }
  }
  return out.empty() ? "anything" : out;
}

}  // namespace sparsecfg::dialect::stages
