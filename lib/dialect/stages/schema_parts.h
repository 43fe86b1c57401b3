#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

// What the schemas of both kinds of recipes say in the same way.
namespace sparsecfg::dialect {

[[nodiscard]] inline nlohmann::ordered_json reference(std::string_view definition) {
  return {{"$ref", fmt::format("#/definitions/{}", definition)}};
}

// A field's meaning and default, and what it takes. `Field` is a row of either table.
template <class Field>
[[nodiscard]] nlohmann::ordered_json describe_field(const Field& field, nlohmann::ordered_json accepted) {
  using Json = nlohmann::ordered_json;
  Json out{{"description", field.doc}};
  if (!field.required) {
    const Json default_value = Json::parse(field.default_value, nullptr, false);
    out["default"] = default_value.is_discarded() ? Json(field.default_value) : default_value;
  }
  if (!field.no_effect.empty()) {
    out["deprecationMessage"] = fmt::format("without effect: {}", field.no_effect);
  }
  out.update(std::move(accepted));
  return out;
}

}  // namespace sparsecfg::dialect
