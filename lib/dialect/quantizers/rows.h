#pragma once

#include <string_view>

#include "dialect/record/spec.h"

// Rows of tables whose readers use no other columns.
namespace sparsecfg::dialect::quantizers {

// A field with a default, as YAML or in words.
[[nodiscard]] constexpr FieldSpec optional(std::string_view name, Type type, std::string_view default_value,
                                           std::string_view doc) {
  FieldSpec out;
  out.name = name;
  out.type = type;
  out.default_value = default_value;
  out.doc = doc;
  return out;
}

[[nodiscard]] constexpr FieldSpec required(std::string_view name, Type type, std::string_view doc) {
  FieldSpec out;
  out.name = name;
  out.type = type;
  out.required = true;
  out.doc = doc;
  return out;
}

}  // namespace sparsecfg::dialect::quantizers
