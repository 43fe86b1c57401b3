#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The parts that the JSON Schemas of all dialects share.
namespace sparsecfg::dialect {

[[nodiscard]] inline nlohmann::ordered_json reference(std::string_view definition) {
  return {{"$ref", fmt::format("#/definitions/{}", definition)}};
}

[[nodiscard]] inline nlohmann::ordered_json any_of(std::vector<nlohmann::ordered_json> alternatives) {
  using Json = nlohmann::ordered_json;
  return alternatives.size() == 1 ? std::move(alternatives.front()) : Json{{"anyOf", std::move(alternatives)}};
}

// Returns a default that a table gives as YAML: a JSON value if it is one, else a string.
[[nodiscard]] inline nlohmann::ordered_json default_of(std::string_view text) {
  auto value = nlohmann::ordered_json::parse(text, nullptr, false);
  return value.is_discarded() ? nlohmann::ordered_json(text) : value;
}

// Returns a field's meaning and default, and what it accepts. `Field` is a row of any table.
template <class Field>
[[nodiscard]] nlohmann::ordered_json describe_field(const Field& field, nlohmann::ordered_json accepted) {
  nlohmann::ordered_json out{{"description", field.doc}};
  if (!field.required) {
    out["default"] = default_of(field.default_value);
  }
  if (!field.no_effect.empty()) {
    out["deprecationMessage"] = fmt::format("without effect: {}", field.no_effect);
  }
  out.update(std::move(accepted));
  return out;
}

// Returns one schema for values that fit any of the alternatives, which are schemas of single types, of words (`enum`,
// `const`) and of strings with a pattern. Keywords such as `minimum` concern values of one type alone, so that a value
// that does not fit gets one message which says why. Of bounds the widest count; alternatives without bounds leave
// those of others as they are. Empty if anything fits.
[[nodiscard]] nlohmann::ordered_json merged(const std::vector<nlohmann::ordered_json>& alternatives);

// Lets a mapping have its properties alone. `then` is what else holds for it, and is asked only where all its names are
// known, so that a misspelt name is one message and no missing field besides.
void close_mapping(nlohmann::ordered_json& schema, nlohmann::ordered_json then);

// Returns the schema of mappings that have these fields; empty if there are none.
[[nodiscard]] nlohmann::ordered_json required_fields(nlohmann::ordered_json names);

// Moves schemas of fields that are the same in several places into definitions of their own.
void share_fields(nlohmann::ordered_json& schema);

// Returns a schema for mappings that name their class under a key: the definition of that class, or one message if
// there is no such class.
[[nodiscard]] nlohmann::ordered_json by_class(std::string_view key, const std::vector<std::string_view>& classes);

// Adds the fields of the rows to the properties of a mapping, and those that are required to its `required`. `accepted`
// returns what fits a row.
void add_fields(nlohmann::ordered_json& properties, nlohmann::ordered_json& required, const auto& rows, auto accepted) {
  for (const auto& field : rows) {
    properties[std::string(field.name)] = describe_field(field, accepted(field));
    if (field.required) required.push_back(field.name);
  }
}

}  // namespace sparsecfg::dialect
