#pragma once

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/record/spec.h"

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

// The parts of a schema that depend on the framework.
struct SchemaRules {
  nlohmann::ordered_json expression{};          // strings that may replace any value; null: none
  std::vector<nlohmann::ordered_json> truth{};  // values that become booleans; empty: any value
  nlohmann::ordered_json selectors = nlohmann::ordered_json::object();
  std::function<nlohmann::ordered_json(const ClassSpec&)>
      record{};  // returns a reference to the definition of a record

  // Returns the schema of all values that a field accepts.
  [[nodiscard]] nlohmann::ordered_json accepted(const FieldSpec& field) const;
};

// Returns the schema of a number. Python accepts booleans as numbers, except for fields that require a float.
[[nodiscard]] nlohmann::ordered_json number_within(const Bounds& bounds, bool exact_float);

// Returns the schema of strings that contain a number.
[[nodiscard]] nlohmann::ordered_json number_text();

// Returns the schema of a class. Other keys than its fields and the properties in `more` are errors unless the class is
// open. `accepted` returns the schema of the values of a field.
[[nodiscard]] nlohmann::ordered_json schema_of(const ClassSpec& spec,
                                               const std::function<nlohmann::ordered_json(const FieldSpec&)>& accepted,
                                               const nlohmann::ordered_json& more = nlohmann::ordered_json::object());

// Returns the known values of a field: choices, suggestions, the token and booleans.
[[nodiscard]] nlohmann::ordered_json examples_of(const FieldSpec& field);

// Returns the schema of a field: description, default, known values, and `accepted`, which is the schema of its values.
[[nodiscard]] nlohmann::ordered_json describe_field(const FieldSpec& field, nlohmann::ordered_json accepted);

// Adds the fields of the rows to `properties`, and the required ones to `required`.
void add_fields(nlohmann::ordered_json& properties, nlohmann::ordered_json& required, std::span<const FieldSpec> rows,
                const std::function<nlohmann::ordered_json(const FieldSpec&)>& accepted);

}  // namespace sparsecfg::dialect
