#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Building blocks shared by the JSON Schemas of the dialects.
namespace sparsecfg::dialect {

[[nodiscard]] inline nlohmann::ordered_json reference(std::string_view definition) {
  return {{"$ref", fmt::format("#/definitions/{}", definition)}};
}

[[nodiscard]] inline nlohmann::ordered_json any_of(std::vector<nlohmann::ordered_json> alternatives) {
  using Json = nlohmann::ordered_json;
  return alternatives.size() == 1 ? std::move(alternatives.front()) : Json{{"anyOf", std::move(alternatives)}};
}

// Converts a default value from a table (YAML) to JSON. Returns a string if it is not a JSON value.
[[nodiscard]] inline nlohmann::ordered_json default_of(std::string_view text) {
  auto value = nlohmann::ordered_json::parse(text, nullptr, false);
  return value.is_discarded() ? nlohmann::ordered_json(text) : value;
}

// Returns the schema of a field: description, default and accepted values. `Field` is a row of any table.
template <class Field>
[[nodiscard]] nlohmann::ordered_json describe_field(const Field& field, nlohmann::ordered_json accepted) {
  nlohmann::ordered_json out{{"description", field.doc}};
  if (!field.required) {
    out["default"] = default_of(field.default_value);
  }
  if (!field.no_effect.empty()) {
    out["deprecationMessage"] = fmt::format("no effect: {}", field.no_effect);
  }
  out.update(std::move(accepted));
  return out;
}

// Returns one schema for values that match any of the alternatives. An alternative is a schema of a single type, of
// words (`enum`, `const`) or of strings with a pattern. Merging avoids `anyOf`, so editors show one message for an
// invalid value. The widest bounds apply; alternatives without bounds do not change them. Returns an empty schema if
// any value matches.
[[nodiscard]] nlohmann::ordered_json merged(const std::vector<nlohmann::ordered_json>& alternatives);

// Restricts a mapping to its declared properties. `then` adds conditions that are checked only if all keys are known,
// so that a misspelled key causes only one message.
void close_mapping(nlohmann::ordered_json& schema, nlohmann::ordered_json then);

// Returns a schema that requires these fields, or an empty schema if `names` is empty.
[[nodiscard]] nlohmann::ordered_json required_fields(nlohmann::ordered_json names);

// Moves identical field schemas to shared definitions.
void share_fields(nlohmann::ordered_json& schema);

// Returns a schema for mappings that name their class under `key`. It refers to the definition of that class; an
// unknown class causes one message.
[[nodiscard]] nlohmann::ordered_json by_class(std::string_view key, const std::vector<std::string_view>& classes);

// Adds the fields of the rows to `properties`, and the required ones to `required`. `accepted` returns the schema of
// the values of a row.
void add_fields(nlohmann::ordered_json& properties, nlohmann::ordered_json& required, const auto& rows, auto accepted) {
  for (const auto& field : rows) {
    properties[std::string(field.name)] = describe_field(field, accepted(field));
    if (field.required) required.push_back(field.name);
  }
}

}  // namespace sparsecfg::dialect
