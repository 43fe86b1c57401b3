#pragma once

#include <cstdint>
#include <string_view>

#include "doc/document.h"

namespace sparsecfg::doc {

// What a standard tag says, or what PyYAML takes a text without tag for.
enum class ScalarType : std::uint8_t {
  string,
  boolean,
  integer,
  real,
  null,
  timestamp,
  binary,
  merge,       // `<<`
  value,       // `=`
  collection,  // a tag of lists or mappings
  foreign,     // a tag that is not YAML's
};

// What a plain text without tag is by YAML 1.1 as PyYAML reads it.
[[nodiscard]] ScalarType resolve_plain(std::string_view text);

// What a tag says; `foreign` for none and for those that are not YAML's.
[[nodiscard]] ScalarType type_of_tag(std::string_view tag);

// Returns true if a text has the form of a date or a time, whose numbers may still be none of a calendar.
// PyYAML takes `2024-1-5` for one only where a tag says so.
[[nodiscard]] bool is_timestamp_form(std::string_view text);

// What a scalar is, by its tag, its quotes and its text. A foreign tag counts as none.
[[nodiscard]] ScalarType type_of(const Node& scalar);

}  // namespace sparsecfg::doc
